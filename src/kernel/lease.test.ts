import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFault } from './fault.ts';
import { checkHolder, isLive, type Lease, takeLease } from './lease.ts';
import { sharedLimits } from './limits.ts';

const request = { resource: 'slot/1', owner: 'task_1', ttlMs: 1_000, reap: 'free' };

// proves: kernel.lease
describe('a lease', () => {
  test('is refused while somebody else holds it, with the remaining time', () => {
    const held = takeLease(undefined, request, 0);
    expect(() => takeLease(held, { ...request, owner: 'task_2' }, 500)).toThrow(
      'task_1 holds the lease on slot/1 for another 1 s',
    );
  });

  test('can be taken when it has expired, with a higher fence', () => {
    const first = takeLease(undefined, request, 0);
    const second = takeLease(first, { ...request, owner: 'task_2' }, first.expiresAt);
    expect(second).toMatchObject({ owner: 'task_2', fence: first.fence + 1 });
  });

  test('is lost for a holder that was paused past its expiry', () => {
    const first = takeLease(undefined, request, 0);
    const second = takeLease(first, { ...request, owner: 'task_2' }, 2_000);
    expect(checkHolder(second, second.fence, 2_001)).toBe(second);
    for (const [row, now] of [
      [first, 1_000],
      [second, 2_001],
    ] as const) {
      expect(() => checkHolder(row, first.fence, now)).toThrow('has expired or has a new owner');
    }
  });

  test.each([
    [1, true],
    [sharedLimits.leaseMsMax, true],
    [0, false],
    [-1, false],
    [sharedLimits.leaseMsMax + 1, false],
    [1.5, false],
    [Number.NaN, false],
  ])('of %d ms is valid: %s', (ttlMs, isValid) => {
    const take = (): Lease => takeLease(undefined, { ...request, ttlMs }, 0);
    if (isValid) expect(take().expiresAt).toBe(ttlMs);
    else expect(() => take()).toThrow('is not a valid lease time');
  });

  test('has one holder at a time, and its fence only grows', () => {
    const step = fc.record({
      owner: fc.integer({ min: 0, max: 3 }),
      wait: fc.integer({ min: 0, max: 700 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let row: Lease | undefined;
        let now = 0;
        for (const { owner, wait } of steps) {
          now += wait;
          const next = tryToTake(row, `task_${owner}`, now);
          expect(next === undefined).toBe(row !== undefined && isLive(row, now));
          if (!next) continue;
          expect(next.fence).toBeGreaterThan(row?.fence ?? 0);
          row = next;
        }
      }),
    );
  });
});

function tryToTake(row: Lease | undefined, owner: string, now: number): Lease | undefined {
  try {
    return takeLease(row, { ...request, owner }, now);
  } catch (error) {
    if (isFault(error, 'LEASE_HELD')) return undefined;
    throw error;
  }
}
