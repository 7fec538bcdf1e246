export { behaviours } from './behaviour/projection.ts';
export { acceptDrift, declareAgent } from './commands.ts';
export { viewCompliance, viewTaskCompliance } from './compliance-view.ts';
export { listBehaviours, viewDrift } from './drift-view.ts';
