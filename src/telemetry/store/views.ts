import { type TableName, tableNames, tables } from './tables.ts';

/** The views that questions use; `docs/telemetry.md` describes their columns. */
export const viewNames = [...tableNames, 'requests'] as const;

export type ViewName = (typeof viewNames)[number];

/** The views over these segments, each as one statement. */
export function viewStatements(segments: readonly string[]): readonly string[] {
  return viewNames.map((name) => `CREATE OR REPLACE VIEW main.${name} AS ${views[name](segments)}`);
}

const views: Readonly<Record<ViewName, (segments: readonly string[]) => string>> = {
  spans: (segments) => everySegment('spans', segments),
  logs: (segments) => everySegment('logs', segments),
  metrics: (segments) => everySegment('metrics', segments),
  hops: (segments) => `${routerHops(segments)} UNION ALL ${callerHops(segments)}`,
  deployments: (segments) => everySegment('deployments', segments),
  alerts: (segments) => everySegment('alerts', segments),
  requests: (segments) => requests(segments),
};

function everySegment(table: TableName, segments: readonly string[]): string {
  const columns = tables[table].map((column) => column.name).join(', ');
  if (segments.length === 0) return noRows(table);
  return segments.map((name) => `SELECT ${columns} FROM ${name}.main.${table}`).join(' UNION ALL ');
}

function noRows(table: TableName): string {
  const columns = tables[table].map(({ name, type }) => `NULL::${type} AS ${name}`);
  return `SELECT ${columns.join(', ')} WHERE false`;
}

function requests(segments: readonly string[]): string {
  return `SELECT time, service, instance, lane, method, route, http_status AS status,
    (s.status = 'error' OR coalesce(s.http_status >= 500, false)) AS is_error,
    duration_ms, cpu_us, request_bytes, response_bytes, calls, error_signature, trace_id, request_id
    FROM (${everySegment('spans', segments)}) s WHERE kind = 'server'`;
}

function routerHops(segments: readonly string[]): string {
  return `SELECT *, 'router' AS seen_by FROM (${everySegment('hops', segments)})`;
}

/** A callee with a kind is a database or a broker: see `storeAt`. */
const isStore = "contains(peer, '://')";

// Requests without a lane do not pass the router, so their callers report them. The router has
// those of lanes, except calls to databases.
function callerHops(segments: readonly string[]): string {
  return `SELECT time, lane, service AS caller, peer AS callee, '' AS instance, '' AS served,
    CASE WHEN ${isStore} THEN split_part(peer, '://', 1) ELSE '' END AS protocol, method,
    CASE WHEN ${isStore} AND starts_with(name, method || ' ') THEN substr(name, length(method) + 2)
      ELSE route END AS path,
    http_status AS status, duration_ms,
    (s.http_status IS NOT NULL OR s.status <> 'error') AS is_answered, false AS is_recovered,
    false AS is_escaped, request_bytes, response_bytes, '' AS request_shape, '' AS response_shape,
    trace_id, request_id, 'caller' AS seen_by
    FROM (${everySegment('spans', segments)}) s
    WHERE (kind = 'client' AND (lane = '' OR ${isStore})) OR (kind = 'producer' AND lane = '')`;
}
