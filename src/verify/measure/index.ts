export { type Measurement, measure } from './measure.ts';
export { isError } from './sample.ts';
export { type Step, stepsOf } from './steps.ts';
