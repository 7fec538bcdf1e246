import { pluralize } from '../../kernel/index.ts';
import type { TableRow } from '../api-schema.ts';
import { conditions } from './conditions.ts';
import { textLiteral, timeLiteral } from './literal.ts';
import type { Question, QuestionInput } from './question.ts';
import { textIn } from './table.ts';

const minutes = 60_000;

/**
 * Stored history shows what is new. For a service that is new as a whole, routes and lines are not
 * listed one by one.
 */
const whatChanged: Question = {
  name: 'what-changed',
  asks: 'What is different: deployments, configuration, alerts, and services, routes, callers and log lines that were not there before?',
  takes: ['service'],
  views: ['spans', 'deployments', 'alerts', 'logs', 'hops'],
  sinceMs: 60 * minutes,
  sql: (asked) => `SELECT * FROM (
  SELECT time, kind AS what, service, 'to ' || coalesce(nullif(version, ''), '?')
    || CASE WHEN previous = '' THEN '' ELSE ' from ' || previous END
    || CASE WHEN actor = '' THEN '' ELSE ' by ' || actor END
    || CASE WHEN note = '' THEN '' ELSE ': ' || note END AS detail
  FROM deployments WHERE ${conditions(asked, 'service')}
  UNION ALL
  SELECT time, 'alert ' || state AS what, service, name
    || CASE WHEN note = '' THEN '' ELSE ': ' || note END AS detail
  FROM alerts WHERE ${conditions(asked, 'service')}
  UNION ALL
  SELECT min(time) AS time, 'new service' AS what, service, 'first seen' AS detail
  FROM spans WHERE ${past(asked)} GROUP BY service HAVING ${isNew(asked)}
  UNION ALL
  ${newMembers(asked, { what: 'new route', from: 'requests', by: "trim(method || ' ' || route)", service: 'service' })}
  UNION ALL
  ${newMembers(asked, { what: 'new log line', from: 'logs', by: 'signature', service: 'service' })}
  UNION ALL
  ${newMembers(asked, { what: 'new caller', from: 'hops', by: "coalesce(nullif(caller, ''), 'outside')", service: 'callee' })}
) ORDER BY time DESC, what, service, detail LIMIT ${asked.rowsMax}`,
  say: (rows) => {
    const kinds = Map.groupBy(rows, (row: TableRow) => textIn(row, 'what'));
    const counts = Array.from(kinds, ([what, { length }]) => pluralize(length, what));
    return `${counts.join(', ')}.`;
  },
};

interface Members {
  readonly what: string;
  readonly from: string;
  readonly by: string;
  readonly service: string;
}

function newMembers(asked: QuestionInput, { what, from, by, service }: Members): string {
  const known = asked.from > 0 ? `since < ${timeLiteral(asked.from)}` : 'false';
  return `SELECT time, '${what}' AS what, service, detail FROM (
    SELECT min(time) AS time, ${service} AS service, ${by} AS detail,
      min(min(time)) OVER (PARTITION BY ${service}) AS since
    FROM ${from} WHERE ${past(asked, service)} GROUP BY ${service}, ${by}
  ) WHERE ${isNewAt(asked)} AND ${known}`;
}

function past({ until, service }: QuestionInput, column = 'service'): string {
  const named = service === undefined ? [] : [`${column} = ${textLiteral(service)}`];
  return [`time < ${timeLiteral(until)}`, ...named].join(' AND ');
}

const isNew = ({ from }: QuestionInput): string => `min(time) >= ${timeLiteral(from)}`;
const isNewAt = ({ from }: QuestionInput): string => `time >= ${timeLiteral(from)}`;

export const changeQuestions: readonly Question[] = [whatChanged];
