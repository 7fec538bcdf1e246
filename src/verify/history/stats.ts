import type { Ledger } from '../../ledger/index.ts';
import type { VerifyStats, WeekRow } from './api-schema.ts';
import { emptyWeek, weekPrefix } from './weekly-stats.ts';

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
