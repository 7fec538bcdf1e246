export { type Measurement, type MeasurePlan, measure, measureStart } from './measure.ts';
export { hopsByRequest, isError } from './sample.ts';
export { neededSteps, type ScenarioStep, stepsOf } from './steps.ts';
