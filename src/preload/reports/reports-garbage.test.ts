import { createRequire } from 'node:module';
import { constants } from 'node:perf_hooks';
import { expect, test } from 'vitest';

const load = createRequire(import.meta.url);
const { Garbage } = load('./process/garbage.cjs');
const { NODE_PERFORMANCE_GC_MINOR: minor, NODE_PERFORMANCE_GC_MAJOR: major } = constants;

interface Metric {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count?: number;
  readonly value: number;
}

interface Garbage {
  readonly isWatched: boolean;
  note(kind: number, durationMs: number, atMs: number): void;
  look(atMs: number): readonly Metric[];
}

const metricOf = (metrics: readonly Metric[], kind: string): Metric | undefined =>
  metrics.find(({ labels }) => labels['v8js.gc.type'] === kind);

const watchedSeconds = (metrics: readonly Metric[]): number | undefined =>
  metrics.find(({ name }) => name === 'surety.gc.watched_time')?.value;

const lookedAt = (isExact: boolean): Garbage => {
  const garbage: Garbage = new Garbage(isExact);
  garbage.look(0);
  return garbage;
};

test('reports every garbage collection of a quiet service, and nothing else', () => {
  const garbage = lookedAt(false);
  // All at once, and then none.
  for (let at = 1; at <= 10; at++) garbage.note(minor, 2, at * 5);
  const metrics = garbage.look(5_000);
  expect(metricOf(metrics, 'minor')).toMatchObject({ count: 10, value: expect.closeTo(0.02) });
  expect(metricOf(metrics, 'major')).toMatchObject({ count: 0, value: 0 });
  expect(watchedSeconds(metrics)).toBeCloseTo(5);
  expect(garbage.isWatched).toBe(true);
});

test('reports all garbage collections of a busy service, and how long it watched', () => {
  const garbage = lookedAt(false);
  for (let at = 1; at <= 39; at++) garbage.note(minor, 2, at * 100);
  garbage.note(major, 20, 4_900);
  expect(garbage.isWatched).toBe(true);
  const watched = [5_000, 10_000, 15_000, 20_000].map((at) => {
    const metrics = garbage.look(at);
    expect(metricOf(metrics, 'minor')).toMatchObject({ count: 39, value: expect.closeTo(0.078) });
    expect(metricOf(metrics, 'major')).toMatchObject({ count: 1, value: expect.closeTo(0.02) });
    expect(watchedSeconds(metrics)).toBeCloseTo(5);
    return garbage.isWatched;
  });
  // Forty are what four looks may cost.
  expect(watched).toEqual([false, false, false, true]);
  expect(watchedSeconds(garbage.look(25_000))).toBeCloseTo(10);
});

test('reports as many garbage collections of a thrashing service as it may keep at once', () => {
  const garbage = lookedAt(false);
  for (let at = 1; at < 200; at++) garbage.note(minor, 1, at * 10);
  expect(garbage.isWatched).toBe(true);
  garbage.note(minor, 1, 2_000);
  expect(garbage.isWatched).toBe(false);
  const metrics = garbage.look(5_000);
  expect(metricOf(metrics, 'minor')).toMatchObject({ count: 200 });
  expect(watchedSeconds(metrics)).toBeCloseTo(2);
});

test('records every garbage collection of a candidate', () => {
  const garbage = lookedAt(true);
  for (let at = 1; at <= 500; at++) garbage.note(minor, 1, at);
  const metrics = garbage.look(1_000);
  expect(metricOf(metrics, 'minor')).toMatchObject({ count: 500 });
  expect(watchedSeconds(metrics)).toBeCloseTo(1);
  expect(garbage.isWatched).toBe(true);
});
