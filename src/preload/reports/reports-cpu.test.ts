import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';

const cpu = createRequire(import.meta.url)('./process/cpu.cjs');

interface Measured {
  readonly beganMs: number;
  readonly isShared?: boolean;
}

const begin = (): Measured => {
  const trace = { beganMs: performance.now() };
  cpu.enter(trace);
  return trace;
};

/** Without asking for the time that it took: the system would count it then, whoever asks. */
function spin(ms: number): void {
  const began = performance.now();
  while (performance.now() - began < ms);
}

const middleOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

test('a short request reports the CPU time that it used', async () => {
  const micros: number[] = [];
  for (let count = 0; count < 21; count++) {
    await delay(3);
    const trace = begin();
    spin(0.5);
    micros.push(cpu.leave(trace));
    expect(trace.isShared).toBe(false);
  }
  // It may be interrupted now and then.
  expect(middleOf(micros)).toBeGreaterThan(300);
});

test('two concurrent requests share the CPU time and report that it is shared', () => {
  const [first, second] = [begin(), begin()];
  const used = process.threadCpuUsage();
  // By what it was given: on a busy machine, that may be nothing for a while.
  while (process.threadCpuUsage(used).user < 4_000);
  const [one, other] = [cpu.leave(first), cpu.leave(second)];
  expect([first.isShared, second.isShared]).toEqual([true, true]);
  expect(Math.abs(one - other)).toBeLessThan(Math.max(one, other) / 2);
});

test('a request that waits for long gets no share of the CPU time of others', () => {
  const waiting = begin();
  cpu.grow();
  cpu.grow();
  const alone = begin();
  cpu.leave(alone);
  expect(alone.isShared).toBe(false);
  expect(cpu.leave(waiting)).toBe(-1);
});

test('among too many concurrent requests, some are measured and none is estimated', async () => {
  await delay(300);
  const micros = Array.from({ length: 2_000 }, () => cpu.leave(begin()));
  const measured = micros.filter((one) => one >= 0);
  expect(measured.length).toBeGreaterThan(10);
  expect(measured.length).toBeLessThan(1_000);
});
