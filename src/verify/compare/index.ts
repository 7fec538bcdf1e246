export { withoutConsequences } from './consequences.ts';
export type { Difference } from './difference.ts';
export { type DifferenceClass, differenceClasses } from './difference-class.ts';
export { findNewErrors, isErrorLine } from './errors.ts';
export { findDifferences } from './find-differences.ts';
export { hopLine, hopName, isSafe, routeOf, type VariedHop } from './hop-name.ts';
export type {
  Listener,
  OutsideAnswer,
  ServiceLogLine,
  Transport,
  VersionRecording,
  Write,
} from './recording.ts';
export { textFormatOf } from './text-format.ts';
