import type { Instant, Json, JsonObject } from '../../kernel/index.ts';
import type { Entry, Ledger, Projection, Rows } from '../../ledger/index.ts';
import type { VerifyStats, WeekRow } from './api-schema.ts';

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

/** Disputes in these weeks may be about older findings, so the share could exceed 1. */
function shareOfOlder(part: number, whole: number): number | null {
  const found = share(part, whole);
  return found === null ? null : Math.min(1, found);
}

type Attempts = { readonly count: number; readonly isGreen: boolean };
/** Marks what has been counted, since each counts once. */
type CountMark = { readonly isCounted: boolean };

const weekPrefix = 'verify-week/';
const weekKey = (at: Instant): string => weekPrefix + weekOf(at);
const attemptsKey = (task: unknown): string => `verify-attempts/${String(task)}`;
const promotionKey = (commit: unknown): string => `verify-promotion/${String(commit)}`;
const findingKey = (finding: unknown): string => `verify-finding/${String(finding)}`;
const kinds = [
  'verdict-reached',
  'change-promoted',
  'promotion-returned',
  'investigation-closed',
  'finding-disputed',
];

/** Counted as entries are appended, so that reading takes one row for each week. */
export const verifyWeeks: Projection = {
  kinds,
  keys: (entry) => [
    weekKey(entry.at),
    ...(entry.body.task ? [attemptsKey(entry.body.task)] : []),
    ...promotionOf(entry).map(promotionKey),
    ...findingsOf(entry).map(findingKey),
  ],
  apply: (rows, entry) => {
    const key = weekKey(entry.at);
    const row = { ...emptyWeek(weekOf(entry.at)), ...rows.get<WeekRow>(key) };
    rows.set(key, withEntry(row, entry, rows));
  },
};

/** The version that was promoted, or that an investigation suspects. */
function promotionOf({ kind, body }: Entry): Json[] {
  if (kind === 'investigation-closed') return [(body.suspect as JsonObject)?.commit ?? null];
  return kind === 'change-promoted' || kind === 'promotion-returned' ? [body.commit ?? null] : [];
}

function findingsOf({ kind, body }: Entry): Json[] {
  if (kind === 'finding-disputed') return [body.finding ?? null];
  const findings = kind === 'verdict-reached' ? body.findings : [];
  return Array.isArray(findings) ? [...new Set(findings)] : [];
}

function withEntry(row: WeekRow, entry: Entry, rows: Rows): WeekRow {
  const { kind, body } = entry;
  const [promotion] = promotionOf(entry).map(promotionKey);
  switch (kind) {
    case 'verdict-reached': {
      const counted = {
        ...countVerdict(row, String(body.verdict)),
        ...countAttempt(row, body, rows),
      };
      return { ...counted, findings: row.findings + countNew(findingsOf(entry), rows) };
    }
    case 'change-promoted':
      if (promotion) rows.set(promotion, { isCounted: false });
      return { ...row, promotions: row.promotions + 1 };
    case 'promotion-returned':
      return { ...row, returns: row.returns + once(promotion, rows) };
    case 'finding-disputed': {
      const isOne = Number(body.days) > 0;
      return {
        ...row,
        disputes: row.disputes + (isOne ? once(findingKey(body.finding), rows) : 0),
      };
    }
    default:
      return { ...row, incidents: row.incidents + (body.confirmed ? once(promotion, rows) : 0) };
  }
}

/** 1 if the row is known and not counted yet. */
function once(key: string | undefined, rows: Rows): number {
  const known = key === undefined ? undefined : rows.get<CountMark>(key);
  if (key === undefined || !known || known.isCounted) return 0;
  rows.set(key, { isCounted: true });
  return 1;
}

function countNew(findings: readonly Json[], rows: Rows): number {
  const fresh = findings.map(findingKey).filter((key) => rows.get<CountMark>(key) === undefined);
  for (const key of fresh) rows.set(key, { isCounted: false });
  return fresh.length;
}

function countVerdict(row: WeekRow, verdict: string): WeekRow {
  if (verdict !== 'pass' && verdict !== 'fail' && verdict !== 'inconclusive') return row;
  return { ...row, [verdict]: row[verdict] + 1 };
}

/** Attempts of a task up to its first pass; later verdicts on a newer base do not count. */
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
    findings: 0,
    disputes: 0,
  };
}
