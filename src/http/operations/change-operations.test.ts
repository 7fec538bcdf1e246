import { expect, test } from 'vitest';
import { limits } from '../../kernel/index.ts';
import { changeOperations } from './change-operations.ts';

test('one call calibrates by a bounded number of verdicts', () => {
  const { body } = changeOperations['POST /v1/calibrations'];
  const takes = (verdicts: number): boolean => body.safeParse({ verdicts }).success;
  expect([0, 1, limits.calibrationVerdictsMax].map(takes)).toEqual([false, true, true]);
  expect(takes(limits.calibrationVerdictsMax + 1)).toBe(false);
});
