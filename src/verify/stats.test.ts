import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../kernel/index.ts';
import type { Entry, Rows } from '../ledger/index.ts';
import { statsOf, verifyWeeks, type WeekRow, weekOf } from './stats.ts';

type Told = readonly [kind: string, body?: JsonObject, at?: string];

/** The rows after these entries, as the ledger would have them. */
function play(...told: readonly Told[]): WeekRow[] {
  const values = new Map<string, unknown>();
  const rows = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => values.set(key, value),
  } as unknown as Rows;
  for (const [kind, body = {}, at = '2026-11-11'] of told) {
    verifyWeeks.apply(rows, { kind, body, at: Date.parse(at) } as unknown as Entry);
  }
  const weeks = [...values].filter(([key]) => key.startsWith('verify-week/'));
  return weeks.map(([, value]) => value as WeekRow);
}

const verdict = (value: string, task?: string): Told => [
  'verdict-reached',
  { verdict: value, ...(task ? { task } : {}) },
];

describe('what verdicts were worth', () => {
  test('is counted by weeks that begin on Monday', () => {
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

  test('counts attempts up to the first pass of each task', () => {
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

  test('counts as escaped what was taken back or caused an incident', () => {
    const weeks = play(
      ...Array<Told>(4).fill(['change-promoted']),
      ['promotion-returned'],
      ['investigation-closed', { confirmed: true }],
      ['investigation-closed', { confirmed: false }],
    );
    expect(statsOf(weeks)).toMatchObject({ escapeRate: 0.5 });
  });

  test('counts disputes, not their being taken back; and no share of nothing', () => {
    const disputes: Told[] = [
      ['finding-disputed', { days: 14 }],
      ['finding-disputed', { days: 0 }],
    ];
    expect(statsOf(play(verdict('fail'), ...disputes))).toMatchObject({ falseAlarmRate: 1 });
    expect(statsOf([])).toMatchObject({ weeks: [], successRate: null, escapeRate: null });
  });
});
