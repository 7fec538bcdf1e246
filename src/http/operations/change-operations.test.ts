import { expect, test } from 'vitest';
import { verifyLimits } from '../../verify/limits.ts';
import { changeOperations } from './change-operations.ts';

test('one calibration request asks for at least 1 verdict and at most the limit', () => {
  const { body } = changeOperations['POST /v1/calibrations'];
  const takes = (verdicts: number): boolean => body.safeParse({ verdicts }).success;
  expect([0, 1, verifyLimits.calibrationVerdictsMax].map(takes)).toEqual([false, true, true]);
  expect(takes(verifyLimits.calibrationVerdictsMax + 1)).toBe(false);
});
