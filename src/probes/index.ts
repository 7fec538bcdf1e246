export type {
  Capture,
  ProbeCheck,
  ProbeInstance,
  ProbePlacement,
  ProbeStatus,
} from './api-schema.ts';
export type { Removal } from './certificate.ts';
export type { ContextRequest, RuntimeContext } from './context/api-schema.ts';
export { collectContext } from './context/collect-context.ts';
export { createDapInstrumenter } from './dap/index.ts';
export { createNodeInstrumenter } from './node/instrumenter.ts';
export {
  openProcessGauge,
  type ProcessGauge,
  type ProcessReading,
} from './node/process-gauge.ts';
export { ProcessPool } from './pool.ts';
export { type ActiveProbe, checkProbe, type ProbeDeps, placeProbe } from './probe.ts';
