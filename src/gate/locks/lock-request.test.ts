import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { lockRequestSchema } from './api-schema.ts';

describe('the request for a lock', () => {
  const accepts = (given: object) => lockRequestSchema.safeParse({ lock: 'db', ...given }).success;
  const limits = [
    ['slots', gateLimits.lockSlotsMax],
    ['priority', gateLimits.lockPriorityMax],
    ['queueMs', gateLimits.lockQueueMsMax],
    ['leaseMs', sharedLimits.leaseMsMax],
  ] as const;

  test.each(limits)('has at most %s %i', (name, max) => {
    expect([accepts({ [name]: max }), accepts({ [name]: max + 1 })]).toEqual([true, false]);
  });

  test.each(['', ' ', 'a b', '-a', 'x'.repeat(201), 'straße'])('refuses the name %j', (lock) => {
    expect(accepts({ lock })).toBe(false);
  });
});
