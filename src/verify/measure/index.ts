export { type Measurement, type MeasurePlan, measure, measureStart } from './measure.ts';
export { isError } from './sample.ts';
export { type Step, stepsOf } from './steps.ts';
