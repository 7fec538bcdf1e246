import { expect, test } from 'vitest';
import { calibrationLine } from './calibration-line.ts';

test('how often a measured signal is wrong is told with its interval and its day', () => {
  const at = Date.UTC(2026, 10, 15);
  const counts = { verdicts: 400, falseAlarms: 1, undecided: 3, services: ['orders'] };
  const line = calibrationLine({ ...counts, at, interval: { low: 0.0001, high: 0.0139 } });
  expect(line).toBe('false alarms: 1 of 400 on identical code (95 %: 0.0 % to 1.4 %), 2026-11-15');
  expect(calibrationLine(null)).toContain('surety calibrate');
});
