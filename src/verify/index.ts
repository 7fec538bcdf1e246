export type { SuiteRun } from './api-schema.ts';
export { hopLine } from './compare/index.ts';
export {
  calibrate,
  calibrations,
  readCalibration,
} from './history/calibration/index.ts';
export { verifyCosts } from './history/costs.ts';
export {
  activeDisputes,
  disputedFindings,
  disputeFinding,
  knownFindings,
} from './history/disputes.ts';
export { failedChanges } from './history/failed-changes.ts';
export { freshPass, passes } from './history/fresh-pass.ts';
export { readGaps } from './history/gaps.ts';
export {
  findJudgedChange,
  type JudgedChange,
  judgedChanges,
  listVerdicts,
} from './history/judged-changes.ts';
export { readStats, verifyWeeks } from './history/stats.ts';
export type { VerifyContext } from './pipeline/context.ts';

export { Progress } from './pipeline/progress.ts';
export { createRepeatSuites, isForPromoted } from './pipeline/repeat-suites.ts';
export {
  promotePatch,
  promoteTask,
  proposeChange,
  submitTest,
  type TaskContext,
  verifyTask,
} from './pipeline/task-steps.ts';
export { deployAndValidate } from './pipeline/validation.ts';
export { verifyChange } from './pipeline/verify.ts';
export { checkLanes } from './preflight/lane-check.ts';
export {
  type LaneProbe,
  placeLaneProbe,
} from './suites/lane-probe.ts';
export { runSuites, runSuitesOn, runTest } from './suites/run-suites.ts';
export {
  RecordedStore,
  Recorder,
  type TrafficRecording,
} from './traffic/index.ts';
