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
export {
  type ByPerson,
  type CallGrant,
  type CallOptions,
  type DaemonGateOptions,
  type EmbeddedAct,
  type Environment,
  type Guard,
  type Guarded,
  type GuardedGate,
  type GuardOptions,
  type GuardTools,
  inDoubt,
  type OwnGate,
  type OwnGateOptions,
  type OwnProposal,
  openEnvironment,
  openGate,
  type ShownApproval,
  type ToolMap,
  type ValidationAnswer,
  type ValidationWish,
} from './runtime/embedded/index.ts';
