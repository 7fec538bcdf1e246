import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Rows } from '../../ledger/index.ts';
import type { WeekRow } from './api-schema.ts';
import { statsOf, verifyWeeks, weekOf } from './stats.ts';

type Told = readonly [kind: string, body?: JsonObject, at?: string];

/** The rows after these entries, as the ledger would have them. */
function play(...told: readonly Told[]): WeekRow[] {
  const values = new Map<string, unknown>();
  const rows = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => values.set(key, value),
  } as unknown as Rows;
  for (const [kind, body = {}, at = '2026-11-11'] of told) {
    const entry = { kind, body, at: Date.parse(at) } as unknown as Entry;
    const named = new Set(verifyWeeks.keys(entry));
    const known = new Map(values);
    verifyWeeks.apply(rows, entry);
    const touched = [...values].filter(([key, value]) => known.get(key) !== value);
    for (const [key] of touched) expect(named).toContain(key);
  }
  const weeks = [...values].filter(([key]) => key.startsWith('verify-week/'));
  return weeks.map(([, value]) => value as WeekRow);
}

const verdict = (value: string, task?: string): Told => [
  'verdict-reached',
  { verdict: value, ...(task ? { task } : {}) },
];

describe('statistics of verdicts', () => {
  test('are counted by weeks that begin on Monday', () => {
    expect([weekOf(Date.parse('2026-11-15T23:59:59Z')), weekOf(Date.parse('2026-11-16'))]).toEqual([
      '2026-11-09',
      '2026-11-16',
    ]);
    const weeks = play(verdict('pass'), ['change-promoted', {}, '2026-11-16']);
    expect(weeks.map(({ week, pass, promotions }) => [week, pass, promotions])).toEqual([
      ['2026-11-09', 1, 0],
      ['2026-11-16', 0, 1],
    ]);
  });

  test('count attempts up to the first pass of each task', () => {
    const weeks = play(
      verdict('fail', 'a'),
      verdict('pass', 'b'),
      verdict('inconclusive', 'a'),
      verdict('pass', 'a'),
      verdict('pass', 'a'),
      verdict('fail'),
    );
    expect(statsOf(weeks)).toMatchObject({
      all: { pass: 3, fail: 2, inconclusive: 1, green: 2, attempts: 4, firstTry: 1 },
      successRate: 0.5,
      attemptsToGreen: 2,
      firstTryRate: 0.5,
    });
  });

  test('count a promotion as escaped once if it was returned or caused an incident', () => {
    const suspect = (commit: string, confirmed: boolean): Told => [
      'investigation-closed',
      { suspect: { commit }, confirmed },
    ];
    const weeks = play(
      ...['a', 'b', 'c', 'd'].map((commit): Told => ['change-promoted', { commit }]),
      ['promotion-returned', { commit: 'a' }],
      suspect('a', true),
      suspect('b', true),
      suspect('b', true),
      suspect('c', false),
      suspect('of nobody’s promotion', true),
    );
    expect(statsOf(weeks)).toMatchObject({
      all: { promotions: 4, returns: 1, incidents: 1 },
      escapeRate: 0.5,
    });
  });

  test('count a finding and its dispute once, and have no share without findings', () => {
    const failed: Told = ['verdict-reached', { verdict: 'fail', findings: ['one', 'two'] }];
    const dispute = (finding: string, days: number): Told => [
      'finding-disputed',
      { finding, days },
    ];
    const weeks = play(
      failed,
      failed,
      dispute('one', 14),
      dispute('one', 30),
      dispute('one', 0),
      dispute('never seen', 14),
    );
    expect(statsOf(weeks)).toMatchObject({
      all: { fail: 2, findings: 2, disputes: 1 },
      falseAlarmRate: 0.5,
    });
    expect(statsOf([])).toMatchObject({ weeks: [], successRate: null, escapeRate: null });
  });

  test('have no share above 1, even if disputed findings are older', () => {
    const found: Told = ['verdict-reached', { verdict: 'fail', findings: ['one', 'two'] }];
    const later = '2026-11-18';
    const weeks = play(
      found,
      ['verdict-reached', { verdict: 'fail', findings: ['three'] }, later],
      ...['one', 'two'].map((finding): Told => ['finding-disputed', { finding, days: 1 }, later]),
    );
    expect(statsOf(weeks.slice(-1))).toMatchObject({ falseAlarmRate: 1 });
  });
});
