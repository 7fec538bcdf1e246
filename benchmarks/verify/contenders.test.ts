import { describe, expect, test } from 'vitest';
import { mannWhitney } from './mann-whitney.ts';
import { ours } from './ours.ts';
import { thresholdRules } from './thresholds.ts';
import { passedVectors, vectorCount } from './vectors.ts';

const start = (control: readonly number[], factor: number) => [
  control.map((value, index) => ({ control: value, candidate: factor * (value + (index % 3)) })),
];
const values = Array.from({ length: 40 }, (_, index) => 100 + ((index * 7) % 40));

describe('contenders are real ones', () => {
  test.each([ours, mannWhitney, ...thresholdRules])('$name sees what is twice as much', (judge) => {
    expect(judge.judge([start(values, 2)], 'measured')).toEqual(['fail']);
    expect(judge.judge([start(values, 0.98)], 'measured')).not.toEqual(['fail']);
  });

  test('a rank test lets pass what the published cases say that it does', () => {
    expect(passedVectors(mannWhitney)).toHaveLength(vectorCount);
    expect(passedVectors(ours)).toEqual([]);
  });
});
