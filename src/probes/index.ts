export type { Capture, Frame, Observation, ProbePlacement, ProbeStatus } from './api-schema.ts';
export type { Certificate, EndReason, Removal } from './certificate.ts';
export { type ProbeCost, predictCost } from './cost.ts';
export type { Residue } from './detach.ts';
export { type ActiveProbe, type ProbeDeps, placeProbe } from './probe.ts';
export { openProcessGauge, type ProcessGauge, type ProcessReading } from './process-gauge.ts';
export type { ProbeRequest } from './request.ts';
