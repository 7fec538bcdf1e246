import type { Instant, JsonObject } from '../../kernel/index.ts';
import type { Projection } from '../../ledger/index.ts';

type WatchedPromotion = {
  readonly commit: string;
  readonly base: string;
  readonly services: readonly string[];
  readonly task: string | null;
  /** The pass that a person's promotion rests on. */
  readonly verdict?: string;
  readonly promotedAt: Instant;
  /** When its errors start to count: later than promotedAt if it was restarted since. */
  readonly since: Instant;
  readonly until: Instant;
};

/** A promotion that is still looked after, and what it was promoted on while that still was. */
export type WatchRow = WatchedPromotion & { readonly below: WatchedPromotion | null };

export const watchKey = 'promotion-watch';

/** The newest promotion is watched first, then the earlier ones below it. */
export const watchedPromotion: Projection = {
  kinds: [
    'change-promoted',
    'promotion-kept',
    'promotion-returned',
    'promotion-stuck',
    'service-started',
  ],
  keys: () => [watchKey],
  apply: (rows, { kind, body, at }) => {
    const before = rows.get<WatchRow>(watchKey);
    if (kind === 'change-promoted') rows.set(watchKey, promoted(before, body, at));
    else if (kind === 'service-started') rows.set(watchKey, startedAnew(before, body, at));
    else if (kind === 'promotion-kept')
      rows.set(watchKey, before?.below ? asOne(before) : undefined);
    else
      rows.set(watchKey, kind === 'promotion-returned' ? uncovered(before, body, at) : undefined);
  },
};

function promoted(
  before: WatchRow | undefined,
  body: JsonObject,
  at: Instant,
): WatchRow | undefined {
  const watchMs = typeof body.watchMs === 'number' ? body.watchMs : 0;
  if (watchMs === 0) return undefined;
  const { commit, base, services, task = null } = body as WatchRow;
  // However many are promoted in a row, the first of them is not forgotten for it.
  const below = before?.commit === base ? { ...asOne(before), until: before.until } : null;
  const proven = body.proven === true ? { verdict: String(body.verdict) } : {};
  const times = { promotedAt: at, since: at, until: at + watchMs };
  const own = { commit, base, services, task, ...proven, ...times };
  return { ...own, below: below && withoutBelow(below) };
}

/** The newest was well; if something is worse since the one before it, both go back. */
function asOne({ below, ...newest }: WatchRow): WatchRow {
  if (!below) return { ...newest, below: null };
  const services = [...new Set([...below.services, ...newest.services])];
  return { ...below, commit: newest.commit, services, below: null };
}

/** Only a version that runs can be looked after: time in which it was stopped does not count. */
function startedAnew(
  before: WatchRow | undefined,
  { service, commit }: JsonObject,
  at: Instant,
): WatchRow | undefined {
  if (before?.commit !== commit || !before?.services.includes(String(service))) return before;
  return { ...before, since: at, until: at + before.until - before.since };
}

/** What the one above has done is not held against it. */
function uncovered(
  before: WatchRow | undefined,
  { commit, base }: JsonObject,
  at: Instant,
): WatchRow | undefined {
  if (!before) return undefined;
  const times = { since: at, until: at + (before.until - before.since) };
  if (before.below) return { ...before.below, ...times, below: null };
  // Of two that count as one, a person may return the later one alone.
  const isLater = commit === before.commit && base !== before.base;
  return isLater ? { ...before, commit: String(base), ...times } : undefined;
}

function withoutBelow({ below: _, ...row }: WatchRow): WatchedPromotion {
  return row;
}

/** Whether a verdict passed it, so that its suites are expected to pass again. */
export function wasProven({ task, verdict }: Pick<WatchedPromotion, 'task' | 'verdict'>): boolean {
  return task !== null || verdict !== undefined;
}
