import { pluralize } from '../../kernel/index.ts';
import { severities } from '../severity.ts';
import { baseline, conditions, laneName } from './conditions.ts';
import { textLiteral, timeLiteral } from './literal.ts';
import type { Question, QuestionInput } from './question.ts';
import { nameIn, numberIn } from './table.ts';

const minutes = 60_000;

const logs: Question = {
  name: 'logs',
  asks: 'What did services log, newest last?',
  takes: ['service', 'lane', 'trace', 'severity', 'matching'],
  views: ['logs'],
  sinceMs: 15 * minutes,
  sql: (asked) => `SELECT * FROM (
  SELECT time, service, ${laneName}, severity, text, trace_id, instance
  FROM logs WHERE ${[conditions(asked, 'service', 'lane', 'trace'), ...lineConditions(asked)].join(' AND ')}
  ORDER BY time DESC LIMIT ${asked.rowsMax}
) ORDER BY time`,
  say: (rows, { rowsMax }) =>
    rows.length < rowsMax ? `${pluralize(rows.length, 'line')}.` : `The last ${rowsMax} lines.`,
};

function lineConditions({ severity, matching }: QuestionInput): string[] {
  const from = severities.indexOf(severity as (typeof severities)[number]);
  const severe = severities.slice(from).map(textLiteral).join(', ');
  return [
    ...(severity === undefined ? [] : [`severity IN (${severe})`]),
    ...(matching === undefined ? [] : [`contains(lower(text), lower(${textLiteral(matching)}))`]),
  ];
}

const newSignatures: Question = {
  name: 'new-log-signatures',
  asks: 'Which kinds of log lines are new: in the range, since a deployment, or in a lane and not in the baseline?',
  takes: ['service', 'lane', 'deployment', 'severity'],
  views: ['logs'],
  sinceMs: 60 * minutes,
  sql: (asked) => `SELECT service, signature, max(severity) AS severity, count(*) AS lines,
  min(time) AS first_at, max(time) AS last_at, arg_min(text, time) AS example,
  arg_max(trace_id, trace_id <> '') AS trace_id
FROM logs WHERE ${[...ofServices(asked), ...lineConditions(asked)].join(' AND ')}
GROUP BY service, signature HAVING ${isNew(asked)}
ORDER BY lines DESC, first_at LIMIT ${asked.rowsMax}`,
  say: (rows, { lane }) => {
    const than = lane === undefined || lane === baseline ? 'before' : 'in the baseline';
    return `${pluralize(rows.length, 'kind')} of lines that nobody said ${than}. Most: ${nameIn(rows[0], 'service')}, ${pluralize(numberIn(rows[0], 'lines'), 'time')}.`;
  },
};

/** All stored lines, because new ones are recognised by comparing them with all old ones. */
function ofServices({ until, lane, service }: QuestionInput): string[] {
  const own = lane === baseline ? [`lane = ''`] : [];
  const named = service === undefined ? [] : [`service = ${textLiteral(service)}`];
  return [`time < ${timeLiteral(until)}`, ...named, ...own];
}

function isNew({ lane, from }: QuestionInput): string {
  if (lane === undefined || lane === baseline) return `min(time) >= ${timeLiteral(from)}`;
  const inLane = `count(*) FILTER (WHERE lane = ${textLiteral(lane)} AND time >= ${timeLiteral(from)})`;
  return `${inLane} > 0 AND count(*) FILTER (WHERE lane = '') = 0`;
}

export const logQuestions: readonly Question[] = [logs, newSignatures];
