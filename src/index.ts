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
  type Guard,
  type Guarded,
  type GuardedGate,
  type GuardOptions,
  type GuardTools,
  inDoubt,
  type OwnGate,
  type OwnGateOptions,
  type OwnProposal,
  openGate,
  type ShownApproval,
  type ToolMap,
} from './runtime/embedded/index.ts';
