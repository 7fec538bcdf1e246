import { pluralize } from '../../kernel/index.ts';
import { conditions, hopFailed, laneName, spanFailed } from './conditions.ts';
import { textLiteral } from './literal.ts';
import type { Question, QuestionInput } from './question.ts';
import { nameIn, numberIn, textIn } from './table.ts';

const minutes = 60_000;

/** One row for each trace, from the start of its first span to the end of its last. */
const listed = (
  asked: QuestionInput,
  having: string,
): string => `SELECT min(time) AS time, trace_id,
  max(coalesce(nullif(lane, ''), 'baseline')) AS lane, arg_min(service, time) AS service,
  arg_min(name, time) AS name,
  round((max(epoch_us(time) + duration_ms * 1e3) - min(epoch_us(time))) / 1e3, 3) AS duration_ms,
  count(*) AS spans, count(DISTINCT service) AS services,
  count(*) FILTER (WHERE ${spanFailed}) AS errors,
  max(request_id) AS request_id
FROM spans WHERE ${conditions(asked, 'lane')}
GROUP BY trace_id HAVING ${having}${ofService(asked)}
ORDER BY duration_ms DESC LIMIT ${asked.rowsMax}`;

/** Lists the whole trace if the service took part in it. */
function ofService({ service }: QuestionInput): string {
  return service === undefined ? '' : ` AND bool_or(service = ${textLiteral(service)})`;
}

const slowTraces: Question = {
  name: 'slow-traces',
  asks: 'Which requests took longest, each from its first span to its last?',
  takes: ['service', 'lane'],
  views: ['spans'],
  sinceMs: 15 * minutes,
  sql: (asked) => listed(asked, 'true'),
  say: ([first]) =>
    `The slowest took ${numberIn(first, 'duration_ms')} ms: ${textIn(first, 'trace_id')}, which began in ${nameIn(first, 'service')}.`,
};

const failedTraces: Question = {
  name: 'failed-traces',
  asks: 'In which requests did something fail?',
  takes: ['service', 'lane'],
  views: ['spans'],
  sinceMs: 15 * minutes,
  sql: (asked) => listed(asked, 'errors > 0'),
  say: (rows, { rowsMax }) =>
    `${rows.length < rowsMax ? '' : 'At least '}${pluralize(rows.length, 'trace')} with an error.`,
};

const trace: Question = {
  name: 'trace',
  asks: 'What happened in one request, service by service? By its trace id or its request id.',
  takes: ['trace', 'request'],
  needs: ['trace', 'request'],
  views: ['spans', 'hops'],
  sinceMs: null,
  sql: (
    asked,
  ) => `SELECT *, (epoch_us(time) - min(epoch_us(time)) OVER ()) / 1e3 AS offset_ms FROM (
SELECT time, duration_ms, service, ${laneName}, kind, name, method, route,
  http_status, status, status_message, error_signature, peer, instance, '' AS caller, trace_id,
  span_id, parent_span_id
FROM spans WHERE ${keyOf(asked)}${ofTrace(asked)} AND ${conditions(asked, 'lane')}
UNION ALL BY NAME
SELECT time, duration_ms, callee AS service, ${laneName}, 'hop' AS kind,
  trim(method || ' ' || path) AS name, method, '' AS route, status AS http_status,
  CASE WHEN ${hopFailed} THEN 'error' ELSE 'unset' END AS status,
  '' AS status_message, '' AS error_signature, '' AS peer, instance, caller, trace_id,
  '' AS span_id, '' AS parent_span_id
FROM hops WHERE seen_by = 'router' AND ${ofTrace(asked)} AND ${conditions(asked, 'lane')}
) ORDER BY time LIMIT ${asked.rowsMax}`,
  say: (rows) => {
    const spans = rows.filter((row) => row.kind !== 'hop');
    const services = new Set(rows.map((row) => row.service));
    const failed = spans.filter((row) => row.status === 'error').length;
    const errors = failed > 0 ? `, ${failed} of them failed` : '';
    return `${pluralize(spans.length, 'span')} of ${pluralize(services.size, 'service')}${errors}.`;
  },
};

/** This column finds the rows fast; the text decides. */
function keyOf({ trace: id }: QuestionInput): string {
  return id === undefined ? '' : `trace_key = ${BigInt(`0x${id.slice(16)}`)} AND `;
}

function ofTrace({ trace: id, request }: QuestionInput): string {
  if (id !== undefined) return `trace_id = ${textLiteral(id)}`;
  const named = `request_id = ${textLiteral(request ?? '')} AND trace_id <> ''`;
  return `trace_id IN (SELECT trace_id FROM spans WHERE ${named} UNION SELECT trace_id FROM hops WHERE ${named})`;
}

export const traceQuestions: readonly Question[] = [trace, slowTraces, failedTraces];
