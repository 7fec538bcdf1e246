import { expect, test } from 'vitest';
import type { SuiteRun } from '../verify/index.ts';
import { failedOnlyHere } from './judge.ts';

const run = (...checks: [check: string, passed: boolean][]): SuiteRun => ({
  suite: 'flow',
  result: checks.every(([, passed]) => passed) ? 'passed' : 'failed',
  reason: null,
  checks: checks.map(([check, passed]) => ({
    ...{ check, passed, expected: null, actual: null, requestId: null },
  })),
});

test('a check counts if it fails in every run here and passes in every run there', () => {
  const here = [run(['a', false], ['b', false], ['c', false]), run(['a', false], ['b', true])];
  const there = [run(['a', true], ['b', true], ['c', true]), run(['a', true], ['c', false])];
  expect(failedOnlyHere(here, there)).toEqual([{ suite: 'flow', check: 'a' }]);
});

test('a check that does not run there does not count', () => {
  expect(failedOnlyHere([run(['a', false])], [run()])).toEqual([]);
});
