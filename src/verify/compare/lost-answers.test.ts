import { expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { findDifferences } from './find-differences.ts';
import { against, hop, recording } from './recorded.fixture.ts';

const lost = { injected: 'lost', answered: true, status: 0, lostStatus: 200 };
const given = { ...lost, responseBody: { ok: true }, responseBytes: 11 };
const findIn = (known: readonly Partial<Hop>[], candidate: readonly Partial<Hop>[]): string[] => {
  const of = (hops: readonly Partial<Hop>[]) => recording(hops.map(hop));
  const found = findDifferences(
    against(() => of(known), of(candidate)),
    ['validation'],
  );
  return found.map(({ class: kind, what, severity }) => `${severity}: ${kind} ${what}`);
};

test.each<[string, Partial<Hop>, string[]]>([
  ['an equal answer', {}, []],
  ['an error', { lostStatus: 500 }, ['fail: status status-worse']],
  ['another shape', { responseBody: { ok: 'yes' } }, ['fail: contract type-changed']],
  ['an empty answer', { responseBody: null, responseBytes: 0 }, ['fail: contract body-missing']],
])('an answer that was lost by injection is compared as it was sent: %s', (_, more, expected) => {
  const now = { ...given, ...more };
  expect(findIn([given, given, given], [now, now, now])).toEqual(expected);
});

test('a refusal that was lost by injection is a difference if it is no longer sent', () => {
  const refused = { ...lost, lostStatus: 401 };
  expect(findIn([refused, lost, lost], [lost, lost, lost])).toEqual([
    'fail: security refusal-lost',
  ]);
});

test('a service that dies during lost-answer injection is a difference', () => {
  const { lostStatus: _, ...died } = { ...lost, answered: false };
  expect(findIn([given, given, given], [died, died, died])).toContain('fail: status status-worse');
});
