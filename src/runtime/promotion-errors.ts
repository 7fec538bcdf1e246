import type { Clock } from '../kernel/index.ts';
import type { ErrorShares, WatchRow } from '../lanes/index.ts';
import type { Config } from '../system/index.ts';
import type { Place } from './place.ts';
import { createTelemetryDesk } from './telemetry-desk.ts';

/** As long before the promotion as it is looked after, but long enough to have seen something. */
const beforeMsMin = 60_000;

/** What telemetry saw of the promoted services, without lanes; null where there is none. */
export function countErrors({
  place,
  config,
  clock,
}: {
  place: Place;
  config: Config;
  clock: Clock;
}): (watched: WatchRow) => Promise<ErrorShares | null> {
  const desk = createTelemetryDesk({ place, config });
  return async ({ services, promotedAt, since }) => {
    if (!config.telemetry.enabled) return null;
    const beforeMs = Math.max(beforeMsMin, clock.now() - since);
    const sql = `SELECT time >= ${timeOf(since)} AS since, count(*) AS requests,
      count(*) FILTER (WHERE is_error) AS errors FROM requests
      WHERE lane = '' AND (time >= ${timeOf(since)} OR
        time >= ${timeOf(promotedAt - beforeMs)} AND time < ${timeOf(promotedAt)})
      AND service IN (${services.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ')})
      GROUP BY since`;
    const { rows } = await desk.query(sql, undefined);
    return sharesOf(rows as readonly Record<string, unknown>[]);
  };
}

function sharesOf(rows: readonly Record<string, unknown>[]): ErrorShares {
  const counted = (isSince: boolean): ErrorShares['since'] => {
    const row = rows.find(({ since }) => since === isSince);
    return { requests: Number(row?.requests ?? 0), errors: Number(row?.errors ?? 0) };
  };
  return { before: counted(false), since: counted(true) };
}

function timeOf(instant: number): string {
  return `TIMESTAMP '${new Date(instant).toISOString().replace('T', ' ').replace('Z', '')}'`;
}
