import { describe, expect, test } from 'vitest';
import type { Profile } from '../api-schema.ts';
import { judgeStarts } from './judge-starts.ts';
import { conclude } from './measure.ts';
import type { Pair, SignalName } from './statistics/index.ts';

const against = (control: number, candidate: readonly number[]): Pair[] =>
  candidate.map((value) => ({ control, candidate: value }));

const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

/** Worse, and known to be passed by rank tests. */
const cases: readonly [string, SignalName, readonly Pair[]][] = [
  ['0 against 0 1 2 1 0 0', 'errors', against(0, [0, 1, 2, 1, 0, 0])],
  ['no errors against a few', 'errors', against(0, [...times(4, 1), ...times(46, 0)])],
  [
    '7 of 10 points 100 times worse',
    'cpu-us',
    against(1_000, [...times(7, 100_000), ...times(3, 1_000)]),
  ],
  [
    '7 of 10 points 100 times slower',
    'latency-ms',
    against(10, [...times(7, 1_000), ...times(3, 10)]),
  ],
];

function verdictOn(signal: SignalName, starts: readonly (readonly Pair[])[], profile: Profile) {
  const signals = starts.map((start) => [{ service: 'pricing', signal, start }]);
  const { differences, undecided } = conclude(judgeStarts(signals), profile);
  if (differences.length > 0) return 'fail';
  return undecided.length > 0 ? 'inconclusive' : 'pass';
}

describe.each(['quick', 'full'] as const)('in %s', (profile) => {
  test.each(cases)('%s: never passes, and fails once confirmed', (_, signal, pairs) => {
    expect(verdictOn(signal, [pairs], profile)).not.toBe('pass');
    // A start has 20 pairs at least: so often the same is sent, on two of them.
    const start = Array.from({ length: Math.ceil(20 / pairs.length) }, () => pairs).flat();
    expect(verdictOn(signal, [start, start], profile)).toBe('fail');
  });

  test.each(cases)('%s: identical code does not fail', (_, signal, pairs) => {
    const same = pairs.map(({ control }) => ({ control, candidate: control }));
    expect(verdictOn(signal, [same, same], profile)).not.toBe('fail');
  });
});

test('a single new error never passes, however many answers are good', () => {
  const pairs = against(0, [1, ...times(199, 0)]);
  expect(verdictOn('errors', [pairs], 'quick')).toBe('inconclusive');
  expect(verdictOn('errors', [pairs, against(0, times(200, 0))], 'full')).toBe('inconclusive');
});
