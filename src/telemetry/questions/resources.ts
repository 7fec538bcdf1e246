import { conditions, laneName } from './conditions.ts';
import type { Question } from './question.ts';
import { nameIn, numberIn } from './table.ts';

const minutes = 60_000;

/** The names of Prometheus clients and cAdvisor for process.memory.usage of OpenTelemetry. */
const memoryNames = [
  'process.memory.usage',
  // Measured from outside, for services that report nothing themselves.
  'container.memory.usage',
  'process_resident_memory_bytes',
  'container_memory_usage_bytes',
];

const memory: Question = {
  name: 'memory',
  asks: 'How much memory does each service use, by lane and instance, and does it grow?',
  takes: ['service', 'lane'],
  views: ['metrics'],
  sinceMs: 15 * minutes,
  sql: (asked) => `SELECT service, ${laneName}, instance,
  round(arg_max(value, time) / 1048576, 1) AS now_mb, round(arg_min(value, time) / 1048576, 1) AS first_mb,
  round(max(value) / 1048576, 1) AS max_mb, count(*) AS points, max(time) AS last_at
FROM metrics WHERE name IN (${memoryNames.map((name) => `'${name}'`).join(', ')})
  AND ${conditions(asked, 'service', 'lane')}
GROUP BY ALL ORDER BY now_mb DESC LIMIT ${asked.rowsMax}`,
  say: (rows) => {
    const grown = rows.toSorted((a, b) => growth(b) - growth(a))[0];
    const most = `${nameIn(rows[0], 'service')} takes most: ${numberIn(rows[0], 'now_mb')} MB.`;
    if (growth(grown) <= 1) return most;
    return `${most} ${nameIn(grown, 'service')} grew most: from ${numberIn(grown, 'first_mb')} to ${numberIn(grown, 'now_mb')} MB.`;
  },
};

const growth = (row: Parameters<typeof numberIn>[0]): number =>
  numberIn(row, 'now_mb') - numberIn(row, 'first_mb');

const cpu: Question = {
  name: 'cpu',
  asks: 'How much CPU does each service use, by lane: share of a core, and per request?',
  takes: ['service', 'lane'],
  views: ['metrics', 'requests'],
  sinceMs: 15 * minutes,
  sql: (asked) => `WITH spent AS (
  SELECT service, lane, instance, labels, max(value) - min(value) AS seconds,
    (epoch_us(max(time)) - epoch_us(min(time))) / 1e6 AS during
  FROM metrics WHERE name IN ('process.cpu.time', 'process_cpu_seconds_total')
    AND ${conditions(asked, 'service', 'lane')}
  GROUP BY ALL
), processes AS (
  SELECT service, lane, round(100 * sum(seconds / nullif(during, 0)), 1) AS core_percent
  FROM spent GROUP BY ALL
), served AS (
  SELECT service, lane, count(cpu_us) AS requests, round(avg(cpu_us)) AS us_each,
    round(quantile_cont(cpu_us, 0.99)) AS us_p99
  FROM requests WHERE ${conditions(asked, 'service', 'lane')} GROUP BY ALL
)
SELECT service, ${laneName}, core_percent, requests, us_each, us_p99
FROM processes FULL JOIN served USING (service, lane)
WHERE core_percent IS NOT NULL OR requests > 0
ORDER BY core_percent DESC NULLS LAST, us_each DESC NULLS LAST LIMIT ${asked.rowsMax}`,
  say: ([first]) => {
    const each =
      first?.us_each == null ? '' : `, ${numberIn(first, 'us_each')} µs for each request`;
    const core =
      first?.core_percent == null ? '' : `: ${numberIn(first, 'core_percent')} % of a core`;
    return `${nameIn(first, 'service')} takes most${core}${each}.`;
  },
};

export const resourceQuestions: readonly Question[] = [memory, cpu];
