export { readCodingCall } from './coding-call.ts';
export type { CodingRuling } from './coding-ruling.ts';
export { judgeCoding } from './judge-coding.ts';
