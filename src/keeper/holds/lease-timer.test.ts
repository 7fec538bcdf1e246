import { describe, expect, test } from 'vitest';
import { createClock } from '../../kernel/index.ts';
import { until } from '../scene.fixture.ts';
import { createLeaseTimer } from './lease-timer.ts';

describe('the lease timer', () => {
  test('fires once, at the earliest end of a lease', async () => {
    const clock = createClock();
    const woken: number[] = [];
    const timer = createLeaseTimer(clock, () => woken.push(clock.now()));
    const now = clock.now();
    timer.set([now + 60_000, now + 50, now + 70_000]);
    await until('it woke', () => woken.length > 0);
    // A timer may be early by less than a millisecond on either side of the rounding.
    expect(woken[0]).toBeGreaterThanOrEqual(now + 49);
    timer.set([]);
    expect(woken).toHaveLength(1);
  });

  test('replaces the ends that were set before', async () => {
    const clock = createClock();
    let wakes = 0;
    const timer = createLeaseTimer(clock, () => wakes++);
    timer.set([clock.now() + 10]);
    timer.set([]);
    const other = createLeaseTimer(clock, () => wakes--);
    other.set([clock.now() + 30]);
    await until('the later one woke', () => wakes !== 0);
    expect(wakes).toBe(-1);
  });
});
