export type { DataMode, LaneData } from '../api-schema.ts';
export { BranchRecords } from './branch-records.ts';
export { DataBranches } from './branches.ts';
export { commandStore } from './command-store.ts';
export { dropBranches } from './drop-branches.ts';
export { liveEnvironment } from './live-environment.ts';
export type { StoreMark, StoreRows, Stores } from './store.ts';
