import { createRequire } from 'node:module';
import { constants } from 'node:perf_hooks';
import { expect, test } from 'vitest';

const load = createRequire(import.meta.url);
const { Garbage } = load('./reports/garbage.cjs');
const { NODE_PERFORMANCE_GC_MINOR: minor, NODE_PERFORMANCE_GC_MAJOR: major } = constants;

interface Told {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly value: number;
}

const toldOf = (told: readonly Told[], kind: string): Told | undefined =>
  told.find(({ labels }) => labels['v8js.gc.type'] === kind);

test('collections of a quiet service are told as they were', () => {
  const garbage = new Garbage(false, 0);
  for (let at = 1; at <= 9; at++) expect(garbage.note(minor, 2, at * 500)).toBe(true);
  const told = garbage.look(5_000);
  expect(toldOf(told, 'minor')).toMatchObject({ count: 9, value: expect.closeTo(0.018) });
  expect(toldOf(told, 'major')).toMatchObject({ count: 0, value: 0 });
});

test('of a busy one ten are noted at each look, and the rest is estimated', () => {
  const garbage = new Garbage(false, 0);
  for (let at = 1; at <= 9; at++) expect(garbage.note(minor, 2, at * 100)).toBe(true);
  expect(garbage.note(major, 20, 1_000)).toBe(false);
  const told = garbage.look(5_000);
  expect(toldOf(told, 'minor')).toMatchObject({ count: 45, value: expect.closeTo(0.09) });
  expect(toldOf(told, 'major')).toMatchObject({ count: 5, value: expect.closeTo(0.1) });
  expect(garbage.note(minor, 2, 5_100)).toBe(true);
  expect(toldOf(garbage.look(10_000), 'minor')).toMatchObject({ count: 46 });
});

test('of a candidate all are noted', () => {
  const garbage = new Garbage(true, 0);
  for (let at = 1; at <= 50; at++) expect(garbage.note(minor, 1, at)).toBe(true);
  expect(toldOf(garbage.look(1_000), 'minor')).toMatchObject({ count: 50 });
});
