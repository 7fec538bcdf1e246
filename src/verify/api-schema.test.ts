import { expect, test } from 'vitest';
import { sharedLimits } from '../kernel/index.ts';
import { validationRequestSchema } from './api-schema.ts';

test('a validation may take up to the limit, and not longer', () => {
  const within = (minutes: unknown) =>
    validationRequestSchema.safeParse({ changes: 'x', timeout_minutes: minutes }).success;
  expect([sharedLimits.validationMinutesMax, 0.01, undefined].map(within)).toEqual([
    true,
    true,
    true,
  ]);
  expect([sharedLimits.validationMinutesMax + 0.01, 0, -1, Number.NaN, '5'].map(within)).toEqual(
    Array(5).fill(false),
  );
});
