export { ReportedLines } from './reported-lines.ts';
export { Tail } from './tail.ts';
