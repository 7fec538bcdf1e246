export type { Difference } from './difference.ts';
export { isErrorLine } from './errors.ts';
export { findDifferences } from './find-differences.ts';
export { hopLine, hopName, routeOf } from './hop-name.ts';
export type { Answer, LogLine, Recording } from './recording.ts';
