export { withoutConsequences } from './consequences.ts';
export { type Difference, type DifferenceClass, differenceClasses } from './difference.ts';
export { findNewErrors, isErrorLine } from './errors.ts';
export { findDifferences } from './find-differences.ts';
export { hopLine, hopName, isSafe, routeOf } from './hop-name.ts';
export type { Answer, Listener, LogLine, Recording, Transport, Write } from './recording.ts';
export { formatOf } from './text-format.ts';
