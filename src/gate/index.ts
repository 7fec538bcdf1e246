export { type ActDeps, createAct, recoverInterrupted } from './act.ts';
export { proposals } from './proposals.ts';
