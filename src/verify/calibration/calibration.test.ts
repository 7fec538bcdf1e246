import { describe, expect, test } from 'vitest';
import { calibrations, readCalibration } from './calibration.ts';

const day = 24 * 60 * 60 * 1_000;

/** The row that entries make, and a ledger that has it. */
function ledgerAfter(...runs: { at: number; verdicts: number; falseAlarms: number }[]) {
  const rows = new Map<string, unknown>();
  for (const { at, ...counts } of runs) {
    const body = { ...counts, undecided: 1, services: ['orders'], alarms: [], cpuRatios: [1.01] };
    calibrations.apply(
      {
        get: (key: string) => rows.get(key),
        set: (key: string, row: unknown) => rows.set(key, row),
      } as never,
      { body, at } as never,
    );
  }
  return {
    async *rows() {
      for (const [key, value] of rows) yield { key, value };
    },
  } as never;
}

describe('what is known of false alarms', () => {
  test('is nothing where nobody has calibrated', async () => {
    expect(await readCalibration(ledgerAfter())).toBeNull();
  });

  test('is the sum of all calibrations of the last 30 days, with an interval', async () => {
    const ledger = ledgerAfter(
      { at: 0, verdicts: 1_000, falseAlarms: 900 },
      { at: 40 * day, verdicts: 300, falseAlarms: 0 },
      { at: 41 * day, verdicts: 100, falseAlarms: 1 },
    );
    expect(await readCalibration(ledger)).toMatchObject({
      verdicts: 400,
      falseAlarms: 1,
      undecided: 2,
      at: 41 * day,
      services: ['orders'],
      cpuRatios: [1.01, 1.01],
      interval: { high: expect.closeTo(0.0139, 3) },
    });
  });
});
