export type { Difference } from './difference.ts';
export { findDifferences } from './find-differences.ts';
export { hopLine } from './hop-name.ts';
export type { Recordings } from './recording.ts';
