import { describe, expect, test } from 'vitest';
import { isErrorOften, judgeStarts } from './judged-starts.ts';
import type { MeasuredSignal } from './signals.ts';
import type { Pair } from './statistics/index.ts';

const start = (signal: MeasuredSignal['signal'], pairs: readonly Pair[]): MeasuredSignal[] => [
  { service: 'orders', signal, start: pairs },
];
const slower = Array.from({ length: 60 }, (_, index) => ({
  control: 1_000 + index,
  candidate: 1_500 + index,
}));

describe('what is worse', () => {
  test.each<[string, MeasuredSignal[][], string]>([
    ['in the only start, for now', [start('cpu-us', slower)], 'worse'],
    ['in both', [start('cpu-us', slower), start('cpu-us', slower)], 'worse'],
    [
      'in one, when the other has hardly anything of it',
      [start('cpu-us', slower), start('cpu-us', slower.slice(0, 9))],
      'inconclusive',
    ],
    [
      'in both, when the other has a few of it',
      [start('cpu-us', slower), start('cpu-us', slower.slice(0, 10))],
      'worse',
    ],
    ['in one, when the other has nothing of it', [start('cpu-us', slower), []], 'inconclusive'],
    [
      'in one, when the other could not be measured',
      [start('cpu-us', slower), start('cpu-us', [{ control: Number.NaN, candidate: 1 }])],
      'inconclusive',
    ],
  ])('%s', (_, starts, verdict) => {
    expect(judgeStarts(starts)).toMatchObject([{ verdict }]);
  });
});

describe('errors where there were none', () => {
  /** So many of the first pairs go wrong, with either version. */
  const errors = (candidate: number, control = 0): MeasuredSignal[] =>
    start(
      'errors',
      slower.map((_, index) => ({
        control: index < control ? 1 : 0,
        candidate: index < candidate ? 1 : 0,
      })),
    );

  test.each<[string, MeasuredSignal[][], string]>([
    ['three in one start are not enough', [errors(3)], 'inconclusive'],
    ['nor when another has none', [errors(4), errors(0)], 'inconclusive'],
    ['nor with fewer', [errors(4), errors(2)], 'inconclusive'],
    ['as many in another start are', [errors(3), errors(3)], 'worse'],
    ['whichever it is', [errors(3), errors(0), errors(3)], 'worse'],
    ['but not where the version before has one', [errors(3), errors(3, 1)], 'inconclusive'],
  ])('%s', (_, starts, verdict) => {
    expect(judgeStarts(starts)).toMatchObject([{ verdict }]);
  });

  test.each([
    [2, false],
    [3, true],
  ])('%i are looked at on a fresh start: %o', (count, isOften) => {
    expect(judgeStarts([errors(count)]).map(isErrorOften)).toEqual([isOften]);
  });
});
