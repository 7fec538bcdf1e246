import type { Ledger } from '../../ledger/index.ts';
import { emptyWeek, type WeekRow, weekPrefix } from './weekly-stats.ts';

/** Shares are null where nothing was counted that they would be shares of. */
export type VerifyStats = {
  readonly weeks: readonly WeekRow[];
  readonly all: WeekRow;
  /** Verdicts that passed. */
  readonly successRate: number | null;
  /** Changes that it took until one passed. */
  readonly attemptsToGreen: number | null;
  readonly firstTryRate: number | null;
  /** Promotions that were taken back or caused an incident. */
  readonly escapeRate: number | null;
  /** Findings that were disputed, of all that there were. */
  readonly falseAlarmRate: number | null;
};

/** The newest weeks, oldest first. */
export async function readStats(ledger: Ledger, weeksMax: number): Promise<VerifyStats> {
  const weeks: WeekRow[] = [];
  for await (const { value } of ledger.rows<WeekRow>(weekPrefix)) weeks.push(value);
  return statsOf(weeks.slice(-weeksMax));
}

export function statsOf(weeks: readonly WeekRow[]): VerifyStats {
  const all = weeks.reduce(sum, emptyWeek('all'));
  return {
    weeks,
    all,
    successRate: share(all.pass, all.pass + all.fail + all.inconclusive),
    attemptsToGreen: share(all.attempts, all.green),
    firstTryRate: share(all.firstTry, all.green),
    escapeRate: shareOfOlder(all.returns + all.incidents, all.promotions),
    falseAlarmRate: shareOfOlder(all.disputes, all.findings),
  };
}

function sum(one: WeekRow, { week: _, ...other }: WeekRow): WeekRow {
  const counts = Object.entries(other).map(([name, count]) => [
    name,
    count + (one[name as keyof typeof other] as number),
  ]);
  return { ...one, ...Object.fromEntries(counts) };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1_000) / 1_000;
}

/** What is said in these weeks of something older may be more than there was of it. */
function shareOfOlder(part: number, whole: number): number | null {
  const found = share(part, whole);
  return found === null ? null : Math.min(1, found);
}
