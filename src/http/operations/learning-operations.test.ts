import { expect, test } from 'vitest';
import { verifyLimits } from '../../verify/limits.ts';
import { changeOperations } from './change-operations.ts';
import { learningOperations } from './learning-operations.ts';

test('a finding may be disputed for at most the limit of days', () => {
  const { body, roles } = learningOperations['POST /v1/disputes'];
  const within = (days: number) =>
    body.safeParse({ finding: 'fnd_0011223344556677', reason: 'why', days }).success;
  expect([0, verifyLimits.disputeDaysMax].map(within)).toEqual([true, true]);
  expect([-1, 0.5, verifyLimits.disputeDaysMax + 1].map(within)).toEqual([false, false, false]);
  expect(roles).not.toContain('agent');
});

test('limits.listedVerdictsMax: a list has at most so many verdicts', () => {
  const { query } = changeOperations['GET /v1/verdicts'];
  const within = (limit: number) => query.safeParse({ limit: String(limit) }).success;
  expect([1, verifyLimits.listedVerdictsMax].map(within)).toEqual([true, true]);
  expect([0, 1.5, verifyLimits.listedVerdictsMax + 1].map(within)).toEqual([false, false, false]);
});
