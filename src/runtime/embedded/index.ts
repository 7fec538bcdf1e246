export type { GuardedCallOptions } from './call-options.ts';
export type { DaemonGateOptions } from './daemon-gate.ts';
export type { Approver, ShownApproval } from './desk.ts';
export type { CallGrant, EmbeddedAct, EmbeddedProposal } from './embedded-act.ts';
export {
  type Environment,
  openEnvironment,
  type ValidationAnswer,
  type ValidationRequest,
} from './environment.ts';
export type { EmbeddedGateOptions, GuardedGate } from './gate-options.ts';
export type { Guard, GuardedFunction, GuardOptions } from './guard.ts';
export type { GuardTools, ToolMap } from './guarded-tools.ts';
export { inDoubt } from './in-doubt.ts';
export { openGate } from './open-gate.ts';
export type { EmbeddedGate } from './own-gate.ts';
