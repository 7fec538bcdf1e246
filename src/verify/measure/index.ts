export { type Measurement, measure } from './measure.ts';
