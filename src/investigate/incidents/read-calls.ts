import type { Config } from '../../system/index.ts';
import type { QueryTelemetry } from '../telemetry-ranking.ts';
import type { CallEdge } from './group-alerts.ts';

const callsSql = `SELECT caller, callee,
    count(*) FILTER (WHERE status >= 500 OR (NOT is_answered AND protocol <> 'message')) AS failed
  FROM hops WHERE lane = '' AND caller <> '' AND time > now() - INTERVAL 30 MINUTE
  GROUP BY caller, callee`;

/** Calls of the last half hour, and what surety.yaml says of a system that was not observed. */
export async function readCalls(config: Config, query: QueryTelemetry): Promise<CallEdge[]> {
  const declared = Object.entries(config.services).flatMap(([caller, { dependsOn, stores }]) =>
    [...dependsOn, ...stores].map((callee) => ({ caller, callee, failed: 0 })),
  );
  if (!config.telemetry.enabled) return declared;
  // An alert is recorded also while telemetry is down.
  const rows = await query(callsSql).catch(() => []);
  const seen = rows.map(({ caller, callee, failed }) => ({
    caller: String(caller),
    callee: String(callee),
    failed: Number(failed),
  }));
  return [...declared, ...seen];
}
