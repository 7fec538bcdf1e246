import { expect, test } from 'vitest';
import { gateLimits } from '../limits.ts';
import { Agenda } from './agenda.ts';

const firstMs = gateLimits.recoveryWaitMsMin;
const longestMs = gateLimits.recoveryWaitMsMax;

test('looks at once at what nobody has looked at yet', () => {
  expect(new Agenda().isDue('p', 0)).toBe(true);
});

// proves: kernel.limits
test(`waits ${firstMs} ms first, twice as long each time, and at most ${longestMs} ms`, () => {
  const agenda = new Agenda();
  const waits: number[] = [];
  for (let time = 0; time < 10; time++) {
    agenda.postpone('p', [], 0);
    const waitMs = Math.min(firstMs * 2 ** time, longestMs);
    expect([agenda.isDue('p', waitMs - 1), agenda.isDue('p', waitMs)]).toEqual([false, true]);
    waits.push(waitMs);
  }
  expect(waits.at(-1)).toBe(longestMs);
});

// proves: kernel.limits
test(`looks at a held call when its tool or its read is used, each ${gateLimits.recoveryUseMsMin} ms`, () => {
  const agenda = new Agenda();
  const far = Number.MAX_SAFE_INTEGER - 1;
  agenda.rest('p', ['pay', 'find'], 100);
  agenda.touch('other');
  expect(agenda.isDue('p', far)).toBe(false);
  agenda.touch('find');
  const soon = 100 + gateLimits.recoveryUseMsMin;
  expect([agenda.isDue('p', soon - 1), agenda.isDue('p', soon)]).toEqual([false, true]);
});

test('looks at a call that ran too long as soon as it has ended', async () => {
  const agenda = new Agenda();
  const { promise, resolve } = Promise.withResolvers<void>();
  agenda.whileRunning('p', promise);
  agenda.postpone('p', [], 0);
  expect([agenda.isRunning('p'), agenda.isDue('p', 0)]).toEqual([true, false]);
  resolve();
  await promise;
  expect([agenda.isRunning('p'), agenda.isDue('p', 0)]).toEqual([false, true]);
});
