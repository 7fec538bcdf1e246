import { expect, test } from 'vitest';
import { systemLimits } from '../system/limits.ts';
import { RateLimiter } from './rate-limiter.ts';

const minute = 60_000;

function countAllowed(limiter: RateLimiter, who: string, tries: number): number {
  let count = 0;
  for (let index = 0; index < tries; index++) if (limiter.take(who) === 0) count += 1;
  return count;
}

test.each([1, 7, 60, systemLimits.agentRequestsPerMinute])(
  'lets at most %i requests a minute through',
  (max) => {
    let now = 1_000_000;
    const limiter = new RateLimiter(
      () => max,
      () => now,
    );
    expect(countAllowed(limiter, 'agent:ada', max)).toBe(max);
    expect(limiter.take('agent:ada')).toBeCloseTo(minute / max);
    // A refused request is not counted.
    now += Math.ceil(minute / max);
    expect(limiter.take('agent:ada')).toBe(0);
    now += minute;
    expect(countAllowed(limiter, 'agent:ada', 2 * max)).toBe(max);
    now += 10 * minute;
    expect(countAllowed(limiter, 'agent:ada', 2 * max)).toBe(max);
  },
);

test('counts each caller separately', () => {
  const limiter = new RateLimiter(
    (who) => (who === 'agent:ada' ? 2 : 3),
    () => 0,
  );
  expect(countAllowed(limiter, 'agent:ada', 9)).toBe(2);
  expect(countAllowed(limiter, 'agent:eve', 9)).toBe(3);
});

test('lets requests through evenly after a burst', () => {
  let now = 0;
  const limiter = new RateLimiter(
    () => 60,
    () => now,
  );
  countAllowed(limiter, 'agent:ada', 60);
  for (let second = 0; second < 5; second++) {
    now += 1_000;
    expect(countAllowed(limiter, 'agent:ada', 5)).toBe(1);
  }
});

// proves: gate.denied-bounded
test('requests that are charged afterwards delay the next one', () => {
  let now = 0;
  const limiter = new RateLimiter(
    () => 60,
    () => now,
  );
  limiter.charge('agent:ada', 120);
  expect(limiter.take('agent:ada')).toBe(61_000);
  expect(limiter.take('agent:eve')).toBe(0);
  now = 61_000;
  expect(limiter.take('agent:ada')).toBe(0);
});
