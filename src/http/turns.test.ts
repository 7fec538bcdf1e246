import { expect, test } from 'vitest';
import { limits } from '../kernel/index.ts';
import { Turns } from './turns.ts';

const minute = 60_000;

function used(turns: Turns, who: string, tries: number): number {
  let count = 0;
  for (let index = 0; index < tries; index++) if (turns.take(who) === 0) count += 1;
  return count;
}

test.each([1, 7, 60, limits.agentRequestsPerMinute])(
  '%i a minute are taken, and no more',
  (max) => {
    let now = 1_000_000;
    const turns = new Turns(
      () => max,
      () => now,
    );
    expect(used(turns, 'agent:ada', max)).toBe(max);
    expect(turns.take('agent:ada')).toBeCloseTo(minute / max);
    // A refused turn costs none.
    now += Math.ceil(minute / max);
    expect(turns.take('agent:ada')).toBe(0);
    now += minute;
    expect(used(turns, 'agent:ada', 2 * max)).toBe(max);
    now += 10 * minute;
    expect(used(turns, 'agent:ada', 2 * max)).toBe(max);
  },
);

test('each has their own', () => {
  const turns = new Turns(
    (who) => (who === 'agent:ada' ? 2 : 3),
    () => 0,
  );
  expect(used(turns, 'agent:ada', 9)).toBe(2);
  expect(used(turns, 'agent:eve', 9)).toBe(3);
});

test('after a burst they come back evenly', () => {
  let now = 0;
  const turns = new Turns(
    () => 60,
    () => now,
  );
  used(turns, 'agent:ada', 60);
  for (let second = 0; second < 5; second++) {
    now += 1_000;
    expect(used(turns, 'agent:ada', 5)).toBe(1);
  }
});
