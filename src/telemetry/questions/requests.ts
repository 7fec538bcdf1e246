import { pluralize, showCall, showName } from '../../kernel/index.ts';
import type { TableRow } from '../api-schema.ts';
import { conditions, laneName } from './conditions.ts';
import type { Question, QuestionInput } from './question.ts';
import { nameIn, numberIn, textIn } from './table.ts';

const minutes = 60_000;
const routeName = "trim(method || ' ' || route) AS route";

const errorRate: Question = {
  name: 'error-rate',
  asks: 'Which share of requests failed, by service, lane and route?',
  takes: ['service', 'lane', 'route'],
  views: ['requests'],
  sinceMs: 15 * minutes,
  sql: (asked) => `SELECT service, ${laneName}, ${routeName},
  count(*) AS requests, count(*) FILTER (WHERE is_error) AS errors,
  round(100.0 * count(*) FILTER (WHERE is_error) / count(*), 2) AS error_percent
FROM requests WHERE ${conditions(asked, 'service', 'lane', 'route')}
GROUP BY ALL ORDER BY errors DESC, requests DESC, service, route, lane LIMIT ${asked.rowsMax}`,
  say: (rows, asked) => {
    const errors = sum(rows, 'errors');
    const of = `${pluralize(sum(rows, 'requests'), 'request')}${shownOnly(rows, asked)}`;
    if (errors === 0) return `None of ${of} failed.`;
    const worst = rows.toSorted((a, b) => numberIn(b, 'errors') - numberIn(a, 'errors'))[0];
    return `${errors} of ${of} failed. Most: ${place(worst)}, ${numberIn(worst, 'error_percent')} % of ${numberIn(worst, 'requests')}.`;
  },
};

const latency: Question = {
  name: 'latency',
  asks: 'How long do requests take (p50, p90, p99), by service, lane and route?',
  takes: ['service', 'lane', 'route'],
  views: ['requests'],
  sinceMs: 15 * minutes,
  // All quantiles at once: each one separately would keep every duration in memory again.
  sql: (asked) => `SELECT service, lane, route, requests, round(p[1], 3) AS p50_ms,
  round(p[2], 3) AS p90_ms, round(p[3], 3) AS p99_ms, max_ms, slowest_trace
FROM (
  SELECT service, ${laneName}, ${routeName}, count(*) AS requests,
    quantile_cont(duration_ms, [0.5, 0.9, 0.99]) AS p, round(max(duration_ms), 3) AS max_ms,
    arg_max(trace_id, duration_ms) AS slowest_trace
  FROM requests WHERE ${conditions(asked, 'service', 'lane', 'route')}
  GROUP BY ALL
) ORDER BY p99_ms DESC, requests DESC LIMIT ${asked.rowsMax}`,
  say: (rows) =>
    `Slowest by p99: ${place(rows[0])}, ${numberIn(rows[0], 'p99_ms')} ms of ${pluralize(numberIn(rows[0], 'requests'), 'request')} (p50 ${numberIn(rows[0], 'p50_ms')} ms).`,
};

const byStatus: Question = {
  name: 'requests-by-status',
  asks: 'How many requests got which status, by service and lane?',
  takes: ['service', 'lane', 'route'],
  views: ['requests'],
  sinceMs: 15 * minutes,
  sql: (asked) => `SELECT service, ${laneName}, status, count(*) AS requests,
  round(100.0 * count(*) / sum(count(*)) OVER (PARTITION BY service, lane), 2) AS percent,
  arg_max(trace_id, time) AS newest_trace
FROM requests WHERE ${conditions(asked, 'service', 'lane', 'route')}
GROUP BY service, lane, status ORDER BY service, lane, requests DESC LIMIT ${asked.rowsMax}`,
  say: (rows) => {
    const bad = rows.filter((row) => numberIn(row, 'status') >= 500);
    const total = `${pluralize(sum(rows, 'requests'), 'request')} in all`;
    return `${total}; ${sum(bad, 'requests')} of them were answered with 500 or above.`;
  },
};

const unverified: Question = {
  name: 'unverified-routes',
  asks: 'Which routes does real traffic use that no lane got a request for?',
  takes: ['service'],
  views: ['requests'],
  sinceMs: null,
  sql: (asked) => `SELECT service, ${routeName}, count(*) AS requests, max(time) AS newest
FROM requests WHERE ${conditions(asked, 'service')}
GROUP BY ALL HAVING count(*) FILTER (WHERE lane <> '') = 0
ORDER BY requests DESC, service, route LIMIT ${asked.rowsMax}`,
  say: (rows) =>
    `${pluralize(rows.length, 'route')} of real traffic got no request in any lane. Most used: ${place(rows[0])}, ${pluralize(numberIn(rows[0], 'requests'), 'request')}.`,
};

export const requestQuestions: readonly Question[] = [errorRate, latency, byStatus, unverified];

function sum(rows: readonly TableRow[], column: string): number {
  return rows.reduce((total, row) => total + numberIn(row, column), 0);
}

function place(row: TableRow | undefined): string {
  const lane = textIn(row, 'lane');
  const where = lane === 'baseline' ? '' : ` in ${showName(lane)}`;
  const names = [nameIn(row, 'service'), showCall(textIn(row, 'route'))];
  return `${names.filter(Boolean).join(' ')}${where}`;
}

/** The sums cover the listed rows: with a full page there may be more. */
function shownOnly(rows: readonly TableRow[], { rowsMax }: QuestionInput): string {
  return rows.length < rowsMax ? '' : ' told here';
}
