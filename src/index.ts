/** What programs import as `surety`. Everything else of this folder is nobody's to rely on. */
export type { Notice, PolicyDocument } from './gate/index.ts';
export { definePolicy } from './gate/language/define-policy.ts';
export {
  Fault,
  type FaultCode,
  type FaultReport,
  isFault,
  type Json,
  type JsonObject,
  type Outcome,
} from './kernel/index.ts';
/** @deprecated Former names, which keep working for one release. */
export type {
  Approver as ByPerson,
  EmbeddedGate as OwnGate,
  EmbeddedGateOptions as OwnGateOptions,
  EmbeddedProposal as OwnProposal,
  GuardedCallOptions as CallOptions,
  GuardedFunction as Guarded,
  ValidationRequest as ValidationWish,
} from './runtime/embedded/index.ts';
export {
  type Approver,
  type CallGrant,
  type DaemonGateOptions,
  type EmbeddedAct,
  type EmbeddedGate,
  type EmbeddedGateOptions,
  type EmbeddedProposal,
  type Environment,
  type Guard,
  type GuardedCallOptions,
  type GuardedFunction,
  type GuardedGate,
  type GuardOptions,
  type GuardTools,
  inDoubt,
  openEnvironment,
  openGate,
  type ShownApproval,
  type ToolMap,
  type ValidationAnswer,
  type ValidationRequest,
} from './runtime/embedded/index.ts';
