export { createModelRelay } from './relay.ts';
export { listModelUsage, modelUsage } from './usage-rows.ts';
