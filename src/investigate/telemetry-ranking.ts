import type { Investigation } from './api-schema.ts';
import { rankServices, type Series } from './rank/index.ts';

/** Runs SQL over telemetry. */
export type QueryTelemetry = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const bucketSeconds = 5;
const rangeMinutes = 30;

const requestsSql = `SELECT service, floor(epoch(time) / ${bucketSeconds}) * ${bucketSeconds} AS bucket,
    count(*) AS requests, avg(CASE WHEN is_error THEN 1 ELSE 0 END) AS error_rate,
    quantile_cont(duration_ms, 0.5) AS latency, avg(cpu_us) AS cpu
  FROM requests WHERE lane = '' AND time > now() - INTERVAL ${rangeMinutes} MINUTE
  GROUP BY service, bucket ORDER BY bucket`;

const callsSql = `SELECT DISTINCT service AS caller, peer AS callee FROM spans
  WHERE kind = 'client' AND lane = '' AND time > now() - INTERVAL ${rangeMinutes} MINUTE`;

const rankedMax = 5;

/** Services by how much their requests changed in the last half hour: where to look first. */
export async function rankByTelemetry(query: QueryTelemetry): Promise<Investigation['ranking']> {
  const series = seriesOf(await query(requestsSql));
  const calls = (await query(callsSql)).map(
    ({ caller, callee }) => [String(caller), String(callee)] as const,
  );
  const { services } = rankServices({ series, calls });
  return services.slice(0, rankedMax).map(({ service, score, shifts: [first] }) => ({
    service,
    score: Math.round(score * 100) / 100,
    moved: first ? `${first.metric} ${round(first.from)} → ${round(first.to)}` : '',
  }));
}

const round = (value: number): number => Number(value.toPrecision(3));

function seriesOf(rows: readonly Readonly<Record<string, unknown>>[]): Series[] {
  const byService = Map.groupBy(rows, ({ service }) => String(service));
  return [...byService].flatMap(([service, own]) =>
    ['error_rate', 'latency', 'cpu'].map((metric) => {
      const points = own.filter((row) => Number.isFinite(Number(row[metric] ?? Number.NaN)));
      const times = points.map(({ bucket }) => Number(bucket));
      return { service, metric, times, values: points.map((row) => Number(row[metric])) };
    }),
  );
}
