import { expect, test } from 'vitest';
import type { Served } from './isolation/call.ts';
import { judge, type RunLane } from './isolation/judge.ts';

const key = 'lane-0';

/** s1 told that it called on when its request was long over. */
const lane: RunLane = {
  key,
  candidates: new Map([['s3', 's3/lane-0/1']]),
  isDead: false,
  lost: [{ how: 'late', by: 's1', to: 's1', what: 'timer late', request: null }],
};

/** A request that the baseline served, and came there by these. */
const servedBy = (service: string, ...trail: string[]): Served => ({
  id: 'one',
  truth: key,
  trail: ['outside', ...trail],
  service,
  instance: `${service}/baseline/1`,
  from: `${trail.at(-1) ?? 'outside'} by http`,
});

const problemsOf = (...served: Served[]): readonly string[] =>
  judge({ served, asked: [], errors: [], lanes: [lane] }).problems;

test('judges a request that arrived twice by the path it took each time', () => {
  const both = [servedBy('s2', 's0'), servedBy('s2', 's0', 's1')];
  expect(problemsOf(...both, servedBy('s3', 's0', 's1', 's2'))).toEqual([]);
  expect(problemsOf(...both, servedBy('s3', 's0', 's2'))).toEqual([
    'one: a request of lane-0 from s2 by http (outside → s0 → s2) was served by s3/baseline/1 instead of s3/lane-0/1',
  ]);
});

test('reports an unanswered request with the errors of the services', () => {
  const errors = ['s0 gave up on s1 for [{"id":"two"}]', 's0 gave up on s2 for [{"id":"one"}]'];
  const asked = [{ id: 'one', key: null, status: 502 }];
  expect(judge({ served: [], asked, errors, lanes: [] }).problems).toEqual([
    'one: an unkeyed request got 502 (s0 gave up on s2 for [{"id":"one"}])',
  ]);
});
