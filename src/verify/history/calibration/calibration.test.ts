import { describe, expect, test } from 'vitest';
import type { CalibrationRun, Verdict } from '../../api-schema.ts';
import { calibrations, readCalibration } from './calibration.ts';
import { countOf } from './calibration-run.ts';

const day = 24 * 60 * 60 * 1_000;

type Given = Partial<CalibrationRun> & { readonly at: number };

/** The rows that entries make, and a ledger that has them. */
function ledgerAfter(...runs: readonly Given[]) {
  const rows = new Map<string, unknown>();
  for (const { at, ...given } of runs) {
    const counts = { verdicts: 1, falseAlarms: 0, inconclusive: 0, atOnce: 1, profile: 'quick' };
    const told = { services: ['orders'], alarms: [], doubts: [], cpuRatios: [1.01] };
    const entry = { body: { ...counts, ...told, ...given }, at } as never;
    const store = {
      get: (key: string) => rows.get(key),
      set: (key: string, row: unknown) => rows.set(key, row),
    };
    calibrations.apply(store as never, entry);
    for (const key of calibrations.keys(entry)) expect(rows.has(key)).toBe(true);
  }
  return {
    async *rows(prefix: string) {
      for (const [key, value] of rows) if (key.startsWith(prefix)) yield { key, value };
    },
  } as never;
}

const quick = { profile: 'quick', services: 1 } as const;

describe('the calibration of verdicts', () => {
  test('is null without any run', async () => {
    expect(await readCalibration(ledgerAfter(), quick, 0)).toBeNull();
  });

  test('sums all runs of the last 30 days, with an interval', async () => {
    const ledger = ledgerAfter(
      { at: 0, verdicts: 1_000, falseAlarms: 900 },
      { at: 40 * day, verdicts: 200, inconclusive: 1 },
      { at: 40 * day + 1, verdicts: 100, services: ['pricing'] },
      { at: 41 * day, verdicts: 100, falseAlarms: 1, alarms: ['fnd_1 calls'] },
    );
    expect(await readCalibration(ledger, quick, 42 * day)).toMatchObject({
      verdicts: 400,
      falseAlarms: 1,
      inconclusive: 1,
      at: 41 * day,
      services: ['orders', 'pricing'],
      alarms: ['fnd_1 calls'],
      cpuRatios: [1.01, 1.01, 1.01],
      interval: { high: expect.closeTo(0.0139, 3) },
    });
  });

  test('ignores runs that are too old, even if there are no newer ones', async () => {
    const ledger = ledgerAfter({ at: day, verdicts: 400 });
    expect(await readCalibration(ledger, quick, 31 * day - 1)).toMatchObject({ verdicts: 400 });
    expect(await readCalibration(ledger, quick, 31 * day)).toBeNull();
  });

  test('uses runs of the same profile and, if possible, of as many services', async () => {
    const ledger = ledgerAfter(
      { at: 1, verdicts: 400 },
      { at: 2, verdicts: 50, atOnce: 3, falseAlarms: 2 },
      { at: 3, verdicts: 7, profile: 'full' },
    );
    const of = (profile: 'quick' | 'full', services: number) =>
      readCalibration(ledger, { profile, services }, 4);
    expect(await of('quick', 1)).toMatchObject({ verdicts: 450, atOnce: 1 });
    expect(await of('quick', 2)).toMatchObject({ verdicts: 50, atOnce: 3 });
    // Nobody has tried as many: what there is, with its number.
    expect(await of('quick', 5)).toMatchObject({ verdicts: 450, atOnce: 1 });
    expect(await of('full', 2)).toMatchObject({ verdicts: 7, atOnce: 1, profile: 'full' });
  });

  test('keeps a limited number of texts for each day', async () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ at: n, alarms: [`fnd_${n}`] }));
    const known = await readCalibration(ledgerAfter(...many), quick, day);
    expect(known).toMatchObject({ verdicts: 100 });
    expect(known?.alarms).toHaveLength(20);
    expect(known?.alarms.at(-1)).toBe('fnd_99');
  });
});

describe('a verdict on identical code', () => {
  const passed = { verdict: 'pass', reason: 'all well', findings: [], signals: [] };
  const count = (verdict: object) =>
    countOf({ ...passed, profile: 'quick', ...verdict } as unknown as Verdict, ['a', 'b']);

  test('that fails is a false alarm, named with its findings', () => {
    const difference = { kind: 'difference', class: 'calls', what: 'call-new', service: 'a' };
    const sides = { id: 'fnd_1', hop: 'a → b GET /', place: null, before: 'none', after: 'one' };
    const check = { kind: 'check', id: 'fnd_2', suite: 'flow', check: 'pays', service: null };
    const findings = [
      { ...difference, ...sides },
      { ...check, expected: 1, actual: 2 },
    ];
    expect(count({ verdict: 'fail', findings })).toMatchObject({
      verdicts: 1,
      falseAlarms: 1,
      inconclusive: 0,
      atOnce: 2,
      alarms: [
        'fnd_1 calls call-new by a, a → b GET /: none → one',
        'fnd_2 check "pays" of suite flow, no service: 1 → 2',
      ],
    });
  });

  test('that is inconclusive is counted with its reason', () => {
    expect(count({ verdict: 'inconclusive', reason: 'seen once' })).toMatchObject({
      falseAlarms: 0,
      inconclusive: 1,
      doubts: ['seen once'],
    });
  });
});
