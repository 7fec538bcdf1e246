import { type Instant, shareInterval } from '../../../kernel/index.ts';
import type { Ledger, Projection } from '../../../ledger/index.ts';
import type { Calibration, CalibrationRun, Profile } from '../../api-schema.ts';
import { type Runs, summed } from './calibration-run.ts';

type Day = CalibrationRun & { readonly at: Instant };

/** By profile and number of restarted services. */
type CalibrationRow = { readonly days: readonly Day[] };

/** The kind of verdict whose false alarms are asked for. */
interface CalibrationQuery {
  readonly profile: Profile;
  readonly services: number;
}

const prefix = 'calibration/';
const dayMs = 24 * 60 * 60 * 1_000;
const keptMs = 30 * dayMs;
/** Texts of each day. */
const textsMax = 20;
const ratiosMax = 100;

export const calibrations: Projection = {
  kinds: ['calibration-run'],
  keys: ({ body }) => [keyOf(body as CalibrationRun)],
  apply: (rows, { body, at }) => {
    const run = body as CalibrationRun;
    const { days = [] } = rows.get<CalibrationRow>(keyOf(run)) ?? {};
    const young = days.filter((day) => isYoung(day, at));
    const today = young.find((day) => dayOf(day.at) === dayOf(at));
    const others = young.filter((day) => day !== today);
    const counted = bounded(today ? [today, run] : [run]);
    rows.set(keyOf(run), { days: [...others, { ...counted, at }] });
  },
};

function keyOf({ profile, atOnce }: CalibrationRun): string {
  return `${prefix}${profile}/${atOnce}`;
}

function dayOf(at: Instant): number {
  return Math.floor(at / dayMs);
}

function isYoung({ at }: Day, now: Instant): boolean {
  return at > now - keptMs;
}

/** Null without a calibration for this kind of verdict. */
export async function readCalibration(
  ledger: Pick<Ledger, 'rows'>,
  { profile, services }: CalibrationQuery,
  now: Instant,
): Promise<Calibration | null> {
  const days: Day[] = [];
  for await (const { value } of ledger.rows<CalibrationRow>(`${prefix}${profile}/`)) {
    days.push(...value.days.filter((day) => isYoung(day, now)));
  }
  // With fewer services there are fewer false alarms; if there is nothing else, that is used.
  const enough = days.filter(({ atOnce }) => atOnce >= services);
  const [first, ...more] = enough.length > 0 ? enough : days;
  if (!first) return null;
  const sum = bounded([first, ...more]);
  const at = Math.max(first.at, ...more.map((day) => day.at));
  return { ...sum, at, interval: shareInterval(sum.falseAlarms, sum.verdicts) };
}

function bounded(runs: Runs): CalibrationRun {
  const sum = summed(runs);
  return {
    ...sum,
    alarms: sum.alarms.slice(-textsMax),
    doubts: sum.doubts.slice(-textsMax),
    cpuRatios: sum.cpuRatios.slice(-ratiosMax),
  };
}
