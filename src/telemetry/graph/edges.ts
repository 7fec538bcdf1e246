import type { GraphEdge, TableRow } from '../api-schema.ts';
import { baseline, conditions, hopFailed, spanFailed } from '../questions/conditions.ts';
import { textLiteral } from '../questions/literal.ts';
import type { QuestionInput } from '../questions/question.ts';
import { numberIn, textIn } from '../questions/table.ts';

/** The calls of one service to another, with their counts. */
export type Edge = Omit<GraphEdge, 'shapes' | 'differences'>;

export const outside = 'outside';

/**
 * Calls of lanes as the router recorded them, and their database calls. Calls of the baseline as
 * the caller reported them, with the callee's own name if it reports, else as the callee reported
 * them. A service that logs but reports no spans is known by its address, and is drawn between the
 * two that do.
 */
export function edgesSql(asked: QuestionInput): string {
  const range = conditions(asked);
  // These columns stay in memory for the joins, so texts that nobody needs are left out.
  return `WITH known AS (
  SELECT trace_key, span_id, parent_span_id, service, kind, peer, name, duration_ms, status,
    http_status
  FROM spans WHERE ${range} AND lane = ''
), silent AS (
  SELECT DISTINCT service FROM logs WHERE service NOT IN (SELECT service FROM known)
), answered AS (
  SELECT trace_key, parent_span_id, any_value(service) AS service FROM known
  WHERE kind IN ('server', 'consumer') AND parent_span_id <> ''
  GROUP BY trace_key, parent_span_id
), made AS (
  SELECT trace_key, span_id, service, kind,
    CASE WHEN peer IN (SELECT service FROM silent) THEN peer ELSE '' END AS through
  FROM known
), calls AS (
  SELECT known.service AS caller, '' AS lane, '' AS protocol, duration_ms,
    CASE WHEN peer IN (SELECT service FROM silent) THEN peer
      ELSE coalesce(answered.service, nullif(peer, ''), name) END AS callee,
    ${spanFailed} AS is_error
  FROM known LEFT JOIN answered
    ON answered.trace_key = known.trace_key AND answered.parent_span_id = known.span_id
  WHERE kind IN ('client', 'producer')
  UNION ALL BY NAME
  SELECT coalesce(nullif(made.through, ''), made.service, '${outside}') AS caller, '' AS lane,
    '' AS protocol, duration_ms, known.service AS callee,
    (status = 'error' OR coalesce(http_status >= 500, false)) AS is_error
  FROM known LEFT JOIN made
    ON made.trace_key = known.trace_key AND made.span_id = known.parent_span_id
  WHERE known.kind IN ('server', 'consumer')
    AND (made.kind IS NULL OR made.kind NOT IN ('client', 'producer') OR made.through <> '')
  UNION ALL BY NAME
  SELECT coalesce(nullif(caller, ''), '${outside}') AS caller, lane, protocol, duration_ms, callee,
    ${hopFailed} AS is_error
  FROM hops WHERE (seen_by = 'router' OR lane <> '') AND ${range}
)
SELECT caller, callee, coalesce(nullif(lane, ''), 'baseline') AS lane,
  string_agg(DISTINCT nullif(protocol, ''), ', ') AS protocols, count(*) AS calls,
  count(*) FILTER (WHERE is_error) AS errors, quantile_cont(duration_ms, [0.5, 0.99]) AS p_ms
FROM calls WHERE ${[...ofService(asked), ...ofLane(asked), 'true'].join(' AND ')}
GROUP BY caller, callee, lane ORDER BY calls DESC, caller, callee LIMIT ${asked.rowsMax}`;
}

function ofService({ service }: QuestionInput): string[] {
  if (service === undefined) return [];
  return [`(caller = ${textLiteral(service)} OR callee = ${textLiteral(service)})`];
}

function ofLane({ lane }: QuestionInput): string[] {
  return lane === undefined ? [] : [`lane = ${textLiteral(lane === baseline ? '' : lane)}`];
}

export function edgeOf(row: TableRow, seconds: number): Edge {
  const [calls, errors] = [numberIn(row, 'calls'), numberIn(row, 'errors')];
  const [p50 = 0, p99 = 0] = row.p_ms as readonly number[];
  return {
    caller: textIn(row, 'caller'),
    callee: textIn(row, 'callee'),
    lane: textIn(row, 'lane'),
    protocols: textIn(row, 'protocols').split(', ').filter(Boolean),
    calls,
    perSecond: round(calls / seconds),
    errors,
    errorPercent: round((100 * errors) / calls),
    p50Ms: round(p50),
    p99Ms: round(p99),
  };
}

const round = (number: number): number => Math.round(number * 1_000) / 1_000;
