export { readdress } from './addresses.ts';
export { Baseline, type BaselineDeps } from './baseline.ts';
export { type Change, type ChangeFacts, changedFiles, changeId, checkChange } from './change.ts';
export { type ChangeSource, patchOf } from './change-source.ts';
export { closedLanes } from './closed-lanes.ts';
export {
  type BranchRecord,
  BranchRecords,
  commandStore,
  DataBranches,
  type DataMode,
  dropBranches,
  type LaneData,
  type Store,
  type StoreRows,
  type Stores,
} from './data/index.ts';
export {
  type Deployment,
  readDeployments,
  recentDeployments,
  recordDeployment,
} from './deployments.ts';
export { Doors } from './doors.ts';
export { type FileDiff, fileDiffs } from './file-diff.ts';
export type { Host } from './host.ts';
export { asAnswered, isStruck } from './injected.ts';
export type { Tagging } from './instance.ts';
export { endedInTime } from './kept-process.ts';
export { type KeyLoss, lossLine } from './key-loss.ts';
export { type Candidate, type Lane, openLanes } from './lane.ts';
export { Lanes, type LanesDeps, type OpenLane } from './lanes.ts';
export { findOverride, overriddenChanges, overrideChange } from './override.ts';
export { Preparation } from './preparation.ts';
export { createProcessHost } from './process-host.ts';
export type { Meter } from './process-meter.ts';
export { type Promotion, type PromotionDeps, promoteChange } from './promotion.ts';
export { PromotionWatch } from './promotion-watch.ts';
export { proveReach, type Reach } from './reach.ts';
export { drawPaths } from './reach-drawing.ts';
export { type Call, requestPaths } from './reach-paths.ts';
export { witnessed } from './reach-witness.ts';
export type { ErrorShares } from './regression.ts';
export type { Door, Hop, Routes, RouteTable, TakenRequest } from './routes.ts';
export { RunningConfig } from './running-config.ts';
export { secretVariables } from './secret-variables.ts';
export { readSecrets } from './secrets.ts';
export {
  baselineServices,
  baselineVersion,
  lastPromotion,
  type Promoted,
  promotionKey,
  startedServices,
  type VersionRow,
  versionKey,
} from './services.ts';
export { Trees } from './trees.ts';
export { Turn } from './turn.ts';
export { type WatchRow, watchedPromotion } from './watched-promotion.ts';
export { isTestFile } from './weakened-tests.ts';
