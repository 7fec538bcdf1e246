import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFault } from './fault.ts';
import { checkHolder, endLease, isLive, type Lease, renewLease, takeLease } from './lease.ts';
import { sharedLimits } from './limits.ts';

const request = { resource: 'slot/1', owner: 'task_1', ttlMs: 1_000, reap: 'free' };

// proves: kernel.lease
describe('a lease', () => {
  test('is refused while another holds it, and told for how long', () => {
    const held = takeLease(undefined, request, 0);
    expect(() => takeLease(held, { ...request, owner: 'task_2' }, 500)).toThrow(
      'task_1 holds the lease on slot/1 for another 1 s',
    );
  });

  test('passes to the next at its end, with a higher fence', () => {
    const first = takeLease(undefined, request, 0);
    const second = takeLease(first, { ...request, owner: 'task_2' }, first.expiresAt);
    expect(second).toMatchObject({ owner: 'task_2', fence: first.fence + 1 });
  });

  test('a holder that was paused past the end cannot write, renew or release', () => {
    const first = takeLease(undefined, request, 0);
    const second = takeLease(first, { ...request, owner: 'task_2' }, 2_000);
    for (const attempt of [checkHolder, endLease]) {
      expect(() => attempt(second, first.fence, 2_001)).toThrow('has expired or has a new owner');
    }
    expect(() => renewLease(second, first.fence, 1_000, 2_001)).toThrow(
      'has expired or has a new owner',
    );
  });

  test('released twice frees nothing that belongs to the next holder', () => {
    const first = takeLease(undefined, request, 0);
    const freed = endLease(first, first.fence, 10);
    const second = takeLease(freed, { ...request, owner: 'task_2' }, 10);
    expect(() => endLease(second, first.fence, 11)).toThrow('has expired or has a new owner');
    expect(isLive(second, 11)).toBe(true);
  });

  test.each([
    [1, true],
    [sharedLimits.leaseMsMax, true],
    [0, false],
    [-1, false],
    [sharedLimits.leaseMsMax + 1, false],
    [1.5, false],
    [Number.NaN, false],
  ])('a life of %d ms is possible: %s', (ttlMs, possible) => {
    const take = (): Lease => takeLease(undefined, { ...request, ttlMs }, 0);
    if (possible) expect(take().expiresAt).toBe(ttlMs);
    else expect(() => take()).toThrow('is not a valid lease time');
  });

  test('there is never more than one holder, and fences only grow', () => {
    const step = fc.record({
      owner: fc.integer({ min: 0, max: 3 }),
      action: fc.constantFrom('take', 'renew', 'end'),
      wait: fc.integer({ min: 0, max: 700 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const fences = new Map<string, number>();
        let row: Lease | undefined;
        let now = 0;
        for (const { owner, action, wait } of steps) {
          now += wait;
          const name = `task_${owner}`;
          const before = row;
          const next = attempt(row, name, fences.get(name) ?? 0, action, now);
          if (!next) continue;
          if (action === 'take') {
            expect(before === undefined || !isLive(before, now)).toBe(true);
            expect(next.fence).toBeGreaterThan(before?.fence ?? 0);
            fences.set(name, next.fence);
          } else {
            expect(before?.owner).toBe(name);
          }
          row = next;
        }
      }),
    );
  });
});

function attempt(
  row: Lease | undefined,
  owner: string,
  fence: number,
  action: string,
  now: number,
): Lease | undefined {
  try {
    if (action === 'take') return takeLease(row, { ...request, owner }, now);
    return action === 'renew' ? renewLease(row, fence, 1_000, now) : endLease(row, fence, now);
  } catch (error) {
    if (isFault(error)) return undefined;
    throw error;
  }
}
