export { type ActDeps, createAct, recoverInterrupted } from './act.ts';
export { adoptPolicy } from './adopt-policy.ts';
export { adoptedPolicy, type Policy } from './policy.ts';
export { proposals } from './proposals.ts';
export { type Replay, replayDecisions } from './replay.ts';
export { type Phase, repairsMax, type TaskRow, taskKey, taskPrefix, tasks } from './task.ts';
