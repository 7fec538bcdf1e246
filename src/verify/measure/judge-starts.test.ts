import { describe, expect, test } from 'vitest';
import { hasManyNewErrors, judgeStarts } from './judge-starts.ts';
import type { MeasuredSignal } from './signals.ts';
import type { Pair } from './statistics/index.ts';

const start = (signal: MeasuredSignal['signal'], pairs: readonly Pair[]): MeasuredSignal[] => [
  { service: 'orders', signal, start: pairs },
];
const slower = Array.from({ length: 60 }, (_, index) => ({
  control: 1_000 + index,
  candidate: 1_500 + index,
}));

describe('a signal that is worse', () => {
  test.each<[string, MeasuredSignal[][], string]>([
    ['in the only start is worse', [start('cpu-us', slower)], 'worse'],
    ['in two starts is worse', [start('cpu-us', slower), start('cpu-us', slower)], 'worse'],
    [
      'in one start is inconclusive if the other has too few pairs',
      [start('cpu-us', slower), start('cpu-us', slower.slice(0, 9))],
      'inconclusive',
    ],
    [
      'in one start is worse if the other has enough pairs',
      [start('cpu-us', slower), start('cpu-us', slower.slice(0, 10))],
      'worse',
    ],
    [
      'in one start is inconclusive if the other has no pairs',
      [start('cpu-us', slower), []],
      'inconclusive',
    ],
    [
      'in one start is inconclusive if the other could not be measured',
      [start('cpu-us', slower), start('cpu-us', [{ control: Number.NaN, candidate: 1 }])],
      'inconclusive',
    ],
  ])('%s', (_, starts, verdict) => {
    expect(judgeStarts(starts)).toMatchObject([{ verdict }]);
  });
});

describe('new errors', () => {
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
    ['three in one start are inconclusive', [errors(3)], 'inconclusive'],
    [
      'four in one start and none in another are inconclusive',
      [errors(4), errors(0)],
      'inconclusive',
    ],
    [
      'four in one start and two in another are inconclusive',
      [errors(4), errors(2)],
      'inconclusive',
    ],
    ['three in each of two starts are worse', [errors(3), errors(3)], 'worse'],
    ['three in two of three starts are worse', [errors(3), errors(0), errors(3)], 'worse'],
    [
      'three in each start are inconclusive if the control has one',
      [errors(3), errors(3, 1)],
      'inconclusive',
    ],
  ])('%s', (_, starts, verdict) => {
    expect(judgeStarts(starts)).toMatchObject([{ verdict }]);
  });

  test.each([
    [2, false],
    [3, true],
  ])('%i in one start need a fresh start: %o', (count, isOften) => {
    expect(judgeStarts([errors(count)]).map(hasManyNewErrors)).toEqual([isOften]);
  });
});
