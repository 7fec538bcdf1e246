export type { CapturedRequest as RawRequest, Door, Hop, TakenRequest } from '../router/index.ts';
export type {
  CallerMode,
  Candidate,
  ChangeSource,
  Deployment,
  KeyLoss,
  Lane,
  PersonalPromotion,
  Promotion,
  Reach,
} from './api-schema.ts';
export { Baseline } from './baseline/baseline.ts';
export { readDeployments, recentDeployments, recordDeployment } from './baseline/deployments.ts';
export { Preparation } from './baseline/preparation.ts';
export { RunningConfig } from './baseline/running-config.ts';
export {
  baselineServices,
  baselineVersion,
  lastPromotion,
  startedServices,
  type VersionRow,
  versionKey,
} from './baseline/services.ts';
export { type LocalStore, StoreProcesses } from './baseline/store-processes.ts';
export {
  type ChangeFacts,
  changedFiles,
  changeId,
  checkChange,
} from './change/change.ts';
export { patchOf } from './change/change-source.ts';
export { branchOf, servicesWith } from './change/migrated-stores.ts';
export {
  findOverride,
  overriddenChanges,
  overrideChange,
  readOverride,
} from './change/override.ts';
export { editedSuites } from './change/suite-paths.ts';
export { Trees, type VersionTree } from './change/trees.ts';
export {
  type DiffBlock,
  type FileDiff,
  findBlocks,
  type Hunk,
  type HunkPosition,
  hunkPositions,
  parseDiff,
  removeHunk,
} from './change/unified-diff.ts';
export { viewOf } from './change/version-view.ts';
export {
  BranchRecords,
  commandStore,
  DataBranches,
  type DataMode,
  dropBranches,
  type StoreMark,
  type StoreRows,
  type Stores,
} from './data/index.ts';
export type { Host, InstanceSpec, InstanceState, PodSpec } from './host/host.ts';
export type { Tagging } from './host/instance.ts';
export { endedInTime } from './host/kept-process.ts';
export { createProcessHost } from './host/process-host.ts';
export type { Meter } from './host/process-meter.ts';
export { CallerFacts } from './lane/caller-facts.ts';
export { type CallerCopy, callersOf, callsOf, whyNoCopy } from './lane/callers.ts';
export { closedLanes } from './lane/closed-lanes.ts';
export { openLanes } from './lane/lane.ts';
export type { LaneUse } from './lane/lane-use.ts';
export { Lanes, type OpenLane } from './lane/lanes.ts';
export { SerialQueue } from './lane/serial-queue.ts';
export {
  type CodePoint,
  type CoverageRecords,
  type ExecutedPoint,
  peekRecords,
  takeRecords,
  type WatchedLines,
} from './line-coverage/coverage-files.ts';
export { type PromotionDeps, promoteChange } from './promotion/promotion.ts';
export { PromotionWatch, type PromotionWatchDeps } from './promotion/promotion-watch.ts';
export type { ErrorShares } from './promotion/regression.ts';
export type { RepeatSuites, SuitesResult } from './promotion/repeated-suites.ts';
export { rollBack } from './promotion/return-promotion.ts';
export { type WatchRow, wasProven, watchedPromotion } from './promotion/watched-promotion.ts';
export { asAnswered, isStruck } from './reach/injected-faults.ts';
export { leadsTo, lossLine } from './reach/key-loss.ts';
export { attributeOwnCalls } from './reach/own-calls.ts';
export { proveReach } from './reach/reach.ts';
export { drawPaths } from './reach/reach-drawing.ts';
export { type CallTree, hopsOfRequest, requestPaths } from './reach/reach-paths.ts';
export { witnessed } from './reach/reach-witness.ts';
export { bareHosts, callsByRouter, readdress } from './routing/addresses.ts';
export { DoorPorts } from './routing/doors.ts';
export type { Routes } from './routing/routes.ts';
export { secretVariables } from './secrets/secret-variables.ts';
export { readSecrets } from './secrets/secrets.ts';
