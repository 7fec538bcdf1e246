import type { Instant, JsonObject } from '../kernel/index.ts';
import type { Entry, Ledger, Projection, Rows } from '../ledger/index.ts';

/** What came of verifications in one week. */
export type WeekRow = {
  /** Its Monday. */
  readonly week: string;
  readonly pass: number;
  readonly fail: number;
  readonly inconclusive: number;
  /** Tasks whose change passed, and how many changes that took in all. */
  readonly green: number;
  readonly attempts: number;
  /** Of them, those whose first change passed. */
  readonly firstTry: number;
  readonly promotions: number;
  /** Promotions that were taken back. */
  readonly returns: number;
  /** Causes that were confirmed in a change that had been promoted. */
  readonly incidents: number;
  /** Findings that were said to be none. */
  readonly disputes: number;
};

type Attempts = { readonly count: number; readonly isGreen: boolean };

const weekPrefix = 'verify-week/';
const weekKey = (at: Instant): string => weekPrefix + weekOf(at);
const attemptsKey = (task: unknown): string => `verify-attempts/${String(task)}`;
const kinds = [
  'verdict-reached',
  'change-promoted',
  'promotion-returned',
  'investigation-closed',
  'finding-disputed',
];

/** Counted while it happens: to ask costs a row for each week. */
export const verifyWeeks: Projection = {
  kinds,
  keys: ({ at, body }) => [weekKey(at), ...(body.task ? [attemptsKey(body.task)] : [])],
  apply: (rows, entry) => {
    const key = weekKey(entry.at);
    const row = rows.get<WeekRow>(key) ?? emptyWeek(weekOf(entry.at));
    rows.set(key, counted(row, entry, rows));
  },
};

function counted(row: WeekRow, { kind, body }: Entry, rows: Rows): WeekRow {
  switch (kind) {
    case 'verdict-reached':
      return { ...countVerdict(row, String(body.verdict)), ...countAttempt(row, body, rows) };
    case 'change-promoted':
      return { ...row, promotions: row.promotions + 1 };
    case 'promotion-returned':
      return { ...row, returns: row.returns + 1 };
    case 'finding-disputed':
      return { ...row, disputes: row.disputes + (Number(body.days) > 0 ? 1 : 0) };
    default:
      return { ...row, incidents: row.incidents + (body.confirmed === true ? 1 : 0) };
  }
}

function countVerdict(row: WeekRow, verdict: string): WeekRow {
  if (verdict !== 'pass' && verdict !== 'fail' && verdict !== 'inconclusive') return row;
  return { ...row, [verdict]: row[verdict] + 1 };
}

/** Of a task, up to its first pass: one that is verified again on a newer version was green. */
function countAttempt(row: WeekRow, { task, verdict }: JsonObject, rows: Rows): Partial<WeekRow> {
  if (!task) return {};
  const { count, isGreen } = rows.get<Attempts>(attemptsKey(task)) ?? { count: 0, isGreen: false };
  if (isGreen) return {};
  const isPass = verdict === 'pass';
  rows.set(attemptsKey(task), { count: count + 1, isGreen: isPass });
  if (!isPass) return {};
  return {
    green: row.green + 1,
    attempts: row.attempts + count + 1,
    firstTry: row.firstTry + (count === 0 ? 1 : 0),
  };
}

const dayMs = 24 * 60 * 60 * 1_000;

/** The Monday of its week, in UTC. */
export function weekOf(at: Instant): string {
  const day = (new Date(at).getUTCDay() + 6) % 7;
  return new Date(at - day * dayMs).toISOString().slice(0, 10);
}

function emptyWeek(week: string): WeekRow {
  return {
    week,
    pass: 0,
    fail: 0,
    inconclusive: 0,
    green: 0,
    attempts: 0,
    firstTry: 0,
    promotions: 0,
    returns: 0,
    incidents: 0,
    disputes: 0,
  };
}

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
  /** Findings that were disputed, for each verdict that failed or would have. */
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
    escapeRate: share(all.returns + all.incidents, all.promotions),
    falseAlarmRate: share(all.disputes, all.fail),
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
