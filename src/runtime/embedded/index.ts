export type { CallOptions } from './call-options.ts';
export type { DaemonGateOptions } from './daemon-gate.ts';
export type { ByPerson, ShownApproval } from './desk.ts';
export type { CallGrant, EmbeddedAct, OwnProposal } from './embedded-act.ts';
export {
  type Environment,
  openEnvironment,
  type ValidationAnswer,
  type ValidationWish,
} from './environment.ts';
export type { GuardedGate, OwnGateOptions } from './gate-options.ts';
export type { Guard, Guarded, GuardOptions } from './guard.ts';
export type { GuardTools, ToolMap } from './guarded-tools.ts';
export { inDoubt } from './in-doubt.ts';
export { openGate } from './open-gate.ts';
export type { OwnGate } from './own-gate.ts';
