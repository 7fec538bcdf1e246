import type { Instant, Json, JsonObject } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import type { WeekRow } from './api-schema.ts';

type Attempts = { readonly count: number; readonly isGreen: boolean };
/** Each is counted once, whatever else is said of it. */
type Once = { readonly isCounted: boolean };

export const weekPrefix = 'verify-week/';
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

/** Counted while it happens: to ask costs a row for each week. */
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
    rows.set(key, counted(row, entry, rows));
  },
};

/** The version that was promoted, or that may have been. */
function promotionOf({ kind, body }: Entry): Json[] {
  if (kind === 'investigation-closed') return [(body.suspect as JsonObject)?.commit ?? null];
  return kind === 'change-promoted' || kind === 'promotion-returned' ? [body.commit ?? null] : [];
}

function findingsOf({ kind, body }: Entry): Json[] {
  if (kind === 'finding-disputed') return [body.finding ?? null];
  const findings = kind === 'verdict-reached' ? body.findings : [];
  return Array.isArray(findings) ? [...new Set(findings)] : [];
}

function counted(row: WeekRow, entry: Entry, rows: Rows): WeekRow {
  const { kind, body } = entry;
  const [promotion] = promotionOf(entry).map(promotionKey);
  switch (kind) {
    case 'verdict-reached': {
      const seen = { ...countVerdict(row, String(body.verdict)), ...countAttempt(row, body, rows) };
      return { ...seen, findings: row.findings + firstSeen(findingsOf(entry), rows) };
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

/** One for what is known and was not counted yet. */
function once(key: string | undefined, rows: Rows): number {
  const known = key === undefined ? undefined : rows.get<Once>(key);
  if (key === undefined || !known || known.isCounted) return 0;
  rows.set(key, { isCounted: true });
  return 1;
}

function firstSeen(findings: readonly Json[], rows: Rows): number {
  const fresh = findings.map(findingKey).filter((key) => rows.get<Once>(key) === undefined);
  for (const key of fresh) rows.set(key, { isCounted: false });
  return fresh.length;
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

export function emptyWeek(week: string): WeekRow {
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
