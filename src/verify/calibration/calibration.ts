import type { Instant } from '../../kernel/index.ts';
import type { Ledger, Projection } from '../../ledger/index.ts';
import { type ShareInterval, shareInterval } from '../statistics/index.ts';

/** What verdicts on identical code were, of one calibration. */
export type CalibrationRun = {
  readonly verdicts: number;
  /** Those that would have failed a change that changes nothing. */
  readonly falseAlarms: number;
  /** Those that would not have been sure. */
  readonly undecided: number;
  readonly services: readonly string[];
  /** What raised them. */
  readonly alarms: readonly string[];
  /** CPU time, one process to another of the same code: how lucky a start can be. */
  readonly cpuRatios: readonly number[];
};

type KeptRun = CalibrationRun & { readonly at: Instant };

type CalibrationRow = { readonly runs: readonly KeptRun[] };

/** All of them together, as far as they are not too old to say anything about today. */
export type Calibration = CalibrationRun & {
  readonly at: Instant;
  /** Of the share of false alarms: 95 %. */
  readonly interval: ShareInterval;
};

const calibrationKey = 'calibration';
const runsMax = 400;
const alarmsMax = 20;
const ratiosMax = 1_000;
const keptMs = 30 * 24 * 60 * 60 * 1_000;

export const calibrations: Projection = {
  kinds: ['calibration-run'],
  keys: () => [calibrationKey],
  apply: (rows, { body, at }) => {
    const { runs = [] } = rows.get<CalibrationRow>(calibrationKey) ?? {};
    const run: KeptRun = { ...(body as unknown as CalibrationRun), at };
    const young = runs.filter((one) => one.at > at - keptMs);
    rows.set(calibrationKey, { runs: [...young, run].slice(-runsMax) });
  },
};

/** Null where nobody has calibrated. */
export async function readCalibration(ledger: Pick<Ledger, 'rows'>): Promise<Calibration | null> {
  for await (const { key, value } of ledger.rows<CalibrationRow>(calibrationKey)) {
    if (key === calibrationKey) return summed(value.runs);
  }
  return null;
}

function summed(runs: readonly KeptRun[]): Calibration {
  const sum = (of: (run: KeptRun) => number): number =>
    runs.reduce((total, run) => total + of(run), 0);
  const verdicts = sum((run) => run.verdicts);
  const falseAlarms = sum((run) => run.falseAlarms);
  return {
    verdicts,
    falseAlarms,
    undecided: sum((run) => run.undecided),
    alarms: runs.flatMap((run) => run.alarms).slice(-alarmsMax),
    cpuRatios: runs.flatMap((run) => run.cpuRatios).slice(-ratiosMax),
    services: [...new Set(runs.flatMap((run) => run.services))].sort(),
    at: Math.max(...runs.map(({ at }) => at)),
    interval: shareInterval(falseAlarms, verdicts),
  };
}
