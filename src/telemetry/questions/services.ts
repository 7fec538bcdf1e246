import { pluralize } from '../../kernel/index.ts';
import { conditions } from './conditions.ts';
import { textLiteral, timeLiteral } from './literal.ts';
import type { Question, QuestionInput } from './question.ts';
import { nameIn, textIn } from './table.ts';

const minutes = 60_000;

const part = (view: string, asked: QuestionInput): string => `SELECT service, lane, time,
    ${view === 'spans' ? 1 : 0} AS span, ${view === 'logs' ? 1 : 0} AS line,
    ${view === 'metrics' ? 1 : 0} AS point
  FROM ${view} WHERE ${conditions(asked, 'service', 'lane')}`;

const services: Question = {
  name: 'services',
  asks: 'Which services report, how many spans, log lines and metrics, and when was the last?',
  takes: ['service', 'lane'],
  views: ['spans', 'logs', 'metrics'],
  sinceMs: null,
  sql: (asked) => `SELECT service, sum(span)::BIGINT AS spans, sum(line)::BIGINT AS log_lines,
  sum(point)::BIGINT AS metric_points, count(DISTINCT nullif(lane, '')) AS lanes,
  min(time) AS first_at, max(time) AS last_at
FROM (
  ${(['spans', 'logs', 'metrics'] as const).map((view) => part(view, asked)).join('\n  UNION ALL\n  ')}
) GROUP BY service ORDER BY last_at DESC LIMIT ${asked.rowsMax}`,
  say: (rows) =>
    `${pluralize(rows.length, 'service')} reported. Last: ${nameIn(rows[0], 'service')}, at ${textIn(rows[0], 'last_at')}.`,
};

const metricNames: Question = {
  name: 'metric-names',
  asks: 'Which metrics do services report?',
  takes: ['service', 'lane', 'metric'],
  views: ['metrics'],
  sinceMs: 60 * minutes,
  sql: (asked) => `SELECT name, any_value(unit) AS unit, any_value(kind) AS kind,
  string_agg(DISTINCT service, ', ' ORDER BY service) AS services,
  count(DISTINCT (service, lane, instance, labels)) AS series, count(*) AS points,
  max(time) AS last_at
FROM metrics WHERE ${conditions(asked, 'service', 'lane')}${named(asked)}
GROUP BY name ORDER BY name LIMIT ${asked.rowsMax}`,
  say: (rows) => `${pluralize(rows.length, 'metric')}.`,
};

const bucketsMax = 40;
/** Services report about this often, so shorter steps would have gaps. */
const stepSecondsMin = 5;

/**
 * The growth per second of a counter, the mean of a histogram, or the value of a gauge, in equal
 * steps.
 */
const metric: Question = {
  name: 'metric',
  asks: 'How did a metric develop, for each of its series?',
  takes: ['metric', 'service', 'lane'],
  needs: ['metric'],
  views: ['metrics'],
  sinceMs: 5 * minutes,
  sql: (asked) => {
    const seconds = Math.max(
      stepSecondsMin,
      Math.ceil((asked.until - asked.from) / 1_000 / bucketsMax),
    );
    const series = 'name, service, lane, instance, labels';
    return `WITH points AS (
  SELECT ${series}, kind, is_delta, unit,
    floor((epoch_us(time) - epoch_us(${timeLiteral(asked.from)})) / 1e6 / ${seconds})::INTEGER AS step,
    CASE WHEN is_delta THEN sum(value) WHEN kind = 'gauge' THEN avg(value)
      ELSE arg_max(value, time) END AS value,
    CASE WHEN is_delta THEN sum(count) ELSE arg_max(count, time) END AS count
  FROM metrics WHERE ${conditions(asked, 'service', 'lane')}${named(asked)}
  GROUP BY ${series}, kind, is_delta, unit, step
), grown AS (
  SELECT *, CASE WHEN is_delta THEN value ELSE value - lag(value) OVER series END AS more,
    CASE WHEN is_delta THEN count ELSE count - lag(count) OVER series END AS more_count,
    CASE WHEN is_delta THEN 1 ELSE step - lag(step) OVER series END * ${seconds} AS during
  FROM points WINDOW series AS (PARTITION BY ${series} ORDER BY step)
), shown AS (
  SELECT *, CASE WHEN kind = 'gauge' THEN value
    WHEN kind = 'counter' THEN greatest(more, 0) / during
    ELSE more / nullif(more_count, 0) END AS told
  FROM grown
)
SELECT name, service, coalesce(nullif(lane, ''), 'baseline') AS lane, instance, labels,
  any_value(unit) AS unit, any_value(kind) AS kind,
  arg_max(told, step) AS last, min(told) AS least, max(told) AS most,
  list(step ORDER BY step) AS steps, list(told ORDER BY step) AS values,
  ${seconds} AS step_seconds
FROM shown WHERE told IS NOT NULL
GROUP BY ${series} ORDER BY name, service, lane, labels LIMIT ${asked.rowsMax}`;
  },
  say: (rows) => `${pluralize(rows.length, 'series').replace('seriess', 'series')}.`,
};

function named({ metric: name }: QuestionInput): string {
  if (name === undefined) return '';
  return ` AND starts_with(name, ${textLiteral(name)})`;
}

export const reportQuestions: readonly Question[] = [services, metricNames, metric];
