import { conditions, hopFailed, laneName } from './conditions.ts';
import { textLiteral } from './literal.ts';
import type { Question, QuestionInput } from './question.ts';
import { nameIn, numberIn } from './table.ts';

const minutes = 60_000;

const slowestHops: Question = {
  name: 'slowest-hops',
  asks: 'Which calls between services take longest, by caller, callee and lane?',
  takes: ['service', 'lane'],
  views: ['hops'],
  sinceMs: 15 * minutes,
  sql: (asked) => `SELECT coalesce(nullif(caller, ''), 'outside') AS caller, callee, ${laneName},
  count(*) AS calls, count(*) FILTER (WHERE ${hopFailed}) AS errors,
  round(quantile_cont(duration_ms, 0.5), 3) AS p50_ms,
  round(quantile_cont(duration_ms, 0.99), 3) AS p99_ms, round(max(duration_ms), 3) AS max_ms,
  arg_max(trim(method || ' ' || path), duration_ms) AS slowest_call,
  arg_max(trace_id, duration_ms) AS slowest_trace
FROM hops WHERE ${conditions(asked, 'lane')}${either(asked)}
GROUP BY ALL ORDER BY p99_ms DESC, calls DESC LIMIT ${asked.rowsMax}`,
  say: ([first]) =>
    `Slowest by p99: ${nameIn(first, 'caller')} → ${nameIn(first, 'callee')}, ${numberIn(first, 'p99_ms')} ms of ${numberIn(first, 'calls')} calls.`,
};

function either({ service }: QuestionInput): string {
  if (service === undefined) return '';
  const named = textLiteral(service);
  return ` AND (caller = ${named} OR callee = ${named})`;
}

export const hopQuestions: readonly Question[] = [slowestHops];
