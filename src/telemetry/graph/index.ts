export { drawGraph } from './draw.ts';
export { serviceGraph } from './graph.ts';
export { traceOf } from './trace.ts';
