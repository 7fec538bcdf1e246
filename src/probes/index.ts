export type { Capture, ProbePlacement, ProbeStatus } from './api-schema.ts';
export type { Removal } from './certificate.ts';

export { type ActiveProbe, type ProbeDeps, placeProbe } from './probe.ts';
export { openProcessGauge, type ProcessGauge, type ProcessReading } from './process-gauge.ts';
