export type { Captured, CapturePoint, SuiteCapture } from './capture.ts';
/** @deprecated Former names, which keep working for one release. */
export type {
  RequestOptions,
  SuiteClient,
  SuiteClient as Client,
  SuiteResponse,
  SuiteResponse as Answer,
} from './client.ts';
export type { Database } from './database.ts';
export { defineSuite, type Suite } from './define-suite.ts';
export type { Probe, Probe as Look, WaitOptions, WaitOptions as Patience } from './eventually.ts';
export type { FaultRequest, FaultRequest as InjectedFault } from './fault-member.ts';
export type { LogLine } from './log-lines.ts';
