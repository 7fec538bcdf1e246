export { calibrate, type Recorded } from './calibrate.ts';
export { type Calibration, calibrations, readCalibration } from './calibration.ts';
