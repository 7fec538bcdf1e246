export { Baseline, type BaselineDeps, type ServiceStatus } from './baseline.ts';
export type { Host } from './host.ts';
export { createProcessHost, type ProcessKeeper } from './process-host.ts';
export { baselineServices } from './services.ts';
export { Trees } from './trees.ts';
