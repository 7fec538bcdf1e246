import { pluralize } from '../../kernel/index.ts';
import { conditions, spanFailed } from './conditions.ts';
import type { Question } from './question.ts';
import { nameIn, numberIn } from './table.ts';

const minutes = 60_000;

const errors: Question = {
  name: 'errors',
  asks: 'Which errors happened, how often, and what is an example of each?',
  takes: ['service', 'lane'],
  views: ['spans', 'logs'],
  sinceMs: 15 * minutes,
  sql: (asked) => `WITH failures AS (
  SELECT service, lane, 'span' AS seen_in, time, trace_id, trim(method || ' ' || route) AS route,
    coalesce(nullif(error_signature, ''), nullif(status_message, ''), http_status::VARCHAR, name)
      AS error
  FROM spans WHERE ${spanFailed}
    AND ${conditions(asked, 'service', 'lane')}
  UNION ALL
  SELECT service, lane, 'log' AS seen_in, time, trace_id, '' AS route, signature AS error
  FROM logs WHERE severity IN ('error', 'fatal') AND ${conditions(asked, 'service', 'lane')}
)
SELECT service, coalesce(nullif(lane, ''), 'baseline') AS lane, seen_in, error,
  count(*) AS times, min(time) AS first_at, max(time) AS last_at, max(route) AS route,
  arg_max(trace_id, time) AS newest_trace
FROM failures GROUP BY service, lane, seen_in, error
ORDER BY times DESC, last_at DESC LIMIT ${asked.rowsMax}`,
  say: (rows) =>
    `${pluralize(rows.length, 'kind')} of errors. Most often: ${nameIn(rows[0], 'service')}, ${pluralize(numberIn(rows[0], 'times'), 'time')}.`,
};

export const failureQuestions: readonly Question[] = [errors];
