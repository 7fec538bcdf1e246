export { calibrate } from './calibrate.ts';
export { type Calibration, calibrations, readCalibration } from './calibration.ts';
