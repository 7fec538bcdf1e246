import type { Clock } from '../../kernel/index.ts';
import type { ErrorShares, WatchRow } from '../../lanes/index.ts';
import { laneLimits } from '../../lanes/limits.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { inTime } from './in-time.ts';
import { createTelemetryDesk } from './telemetry-desk.ts';

/** The period before a promotion is as long as its watch, but at least this long. */
const beforeMsMin = 60_000;

/** Errors and latency of the promoted services, without lanes; null if telemetry is off. */
export function countErrors({
  place,
  config,
  clock,
}: {
  place: WorkspacePlace;
  config: Config;
  clock: Clock;
}): (watched: WatchRow) => Promise<ErrorShares | null> {
  const desk = createTelemetryDesk({ place, config });
  return async (watched) => {
    if (!config.telemetry.enabled) return null;
    const asked = desk.query(errorsQuery(watched, clock.now()), {});
    const { rows } = await inTime(asked, laneLimits.promotionSignalsMsMax);
    return sharesOf(rows as readonly Record<string, unknown>[]);
  };
}

/**
 * Only instances that have proven themselves count: anybody on this machine can report a request
 * of a service. Errors long after the end of the watch do not count, however late the query runs.
 */
export function errorsQuery(
  { services, promotedAt, since, until }: Omit<WatchRow, 'below'>,
  now: number,
): string {
  // A promotion that is held at the end of its watch is watched for as long again.
  const end = Math.min(now, until + (until - since));
  const beforeMs = Math.max(beforeMsMin, end - since);
  return `SELECT time >= ${timeOf(since)} AS since, count(*) AS requests,
      count(*) FILTER (WHERE is_error) AS errors, median(duration_ms) AS median_ms FROM requests
      WHERE lane = '' AND (time >= ${timeOf(since)} AND time <= ${timeOf(end)} OR
        time >= ${timeOf(promotedAt - beforeMs)} AND time < ${timeOf(promotedAt)})
      AND starts_with(instance, service || '/baseline/') AND service IN (${services.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')})
      GROUP BY since`;
}

function sharesOf(rows: readonly Record<string, unknown>[]): ErrorShares {
  const counted = (isSince: boolean): ErrorShares['since'] => {
    const row = rows.find(({ since }) => since === isSince);
    const medianMs = typeof row?.median_ms === 'number' ? row.median_ms : null;
    return { requests: Number(row?.requests ?? 0), errors: Number(row?.errors ?? 0), medianMs };
  };
  return { before: counted(false), since: counted(true) };
}

function timeOf(instant: number): string {
  return `TIMESTAMP '${new Date(instant).toISOString().replace('T', ' ').replace('Z', '')}'`;
}
