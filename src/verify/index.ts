export { type Calibration, calibrate, calibrations, readCalibration } from './calibration/index.ts';
export { hopLine } from './differences/index.ts';
export { activeDisputes, disputedFindings, disputeFinding } from './disputes.ts';
export { failedChanges } from './failed-changes.ts';
export type { Finding } from './finding.ts';
export { passes } from './fresh-pass.ts';
export { findJudged, type Judged, judgedChanges } from './judged-changes.ts';
export type { LanePair } from './lane-pair.ts';
export { Progress } from './progress.ts';
export { type RunDeps, runSuites, runTest } from './run.ts';
export { runSuitesOn } from './run-suites.ts';
export { seenFindings } from './seen-findings.ts';
export { readStats } from './stats.ts';
export type { SubmittedTest } from './submitted-test.ts';
export type { SuiteRun } from './suite.ts';
export {
  type OpenTask,
  promoteTask,
  promoteUnproven,
  proposeChange,
  submitTest,
  type TaskDeps,
  verifyTask,
} from './task-steps.ts';
export {
  type Recorded,
  type RecordedScenario,
  RecordedStore,
  Recorder,
} from './traffic/index.ts';
export { deployAndValidate, type Validation } from './validation.ts';
export type { Verdict } from './verdict.ts';
export { type VerifiedChange, type VerifyDeps, verifyChange } from './verify.ts';
export { verifyWeeks } from './verify-weeks.ts';
