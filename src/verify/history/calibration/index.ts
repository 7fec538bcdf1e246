export type { Calibration } from '../../api-schema.ts';
export { calibrate } from './calibrate.ts';
export { calibrations, readCalibration } from './calibration.ts';
