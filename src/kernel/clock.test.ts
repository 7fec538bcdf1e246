import { expect, test } from 'vitest';
import { createClock } from './clock.ts';

function sources(): { wall: number; monotonic: number; wallMs(): number; monotonicMs(): number } {
  return {
    wall: 1_000_000,
    monotonic: 50,
    wallMs() {
      return this.wall;
    },
    monotonicMs() {
      return this.monotonic;
    },
  };
}

test('the clock follows the wall clock forward', () => {
  const time = sources();
  const clock = createClock(time);
  time.wall += 3_600_000;
  expect(clock.now()).toBe(4_600_000);
});

// proves: kernel.clock
test('time continues when the wall clock is set back', () => {
  const time = sources();
  const clock = createClock(time);
  time.wall -= 3_600_000;
  time.monotonic += 250;
  expect(clock.now()).toBe(1_000_250);
  time.monotonic += 250;
  expect(clock.now()).toBe(1_000_500);
});

test('the clock never reads earlier than a ledger that is ahead of this machine', () => {
  const time = sources();
  const clock = createClock(time);
  clock.keepAfter(9_000_000);
  expect(clock.now()).toBe(9_000_000);
  expect(clock.aheadMs()).toBe(8_000_000);
  time.monotonic += 10;
  expect(clock.now()).toBe(9_000_010);
  time.wall = 9_500_000;
  expect(clock.aheadMs()).toBe(0);
});
