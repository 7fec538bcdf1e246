import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../src/kernel/index.ts';
import type { SqlAnswer } from '../../src/telemetry/query/answer.ts';
import { ask } from '../../src/telemetry/query/ask.ts';
import { openStore, type TelemetryStore } from '../../src/telemetry/store/store.ts';
import { type BenchResult, type Contender, interleave, quantile, type Say } from '../bench.ts';
import { fillWithSpans, spansOfBench, traceOfBench } from './spans.ts';

const rounds = 15;
const hour = 3_600_000;

/** Questions as they are asked: checked, run, and answered, over ten million spans on disk. */
export async function measureQueries(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-telemetry-'));
  const retention = { ms: 24 * hour, bytes: 2 * 1024 ** 3 };
  const store = await openStore(directory, { clock: createClock(), retention });
  try {
    await fillWithSpans(store, say);
    return told(await interleave(contenders(store), rounds, say), store);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

const p99ByRoute = `SELECT route, count(*) AS requests, quantile_cont(duration_ms, 0.99) AS p99
  FROM spans GROUP BY route ORDER BY p99 DESC`;

const { traceId, traceKey, spansInTrace } = traceOfBench;

const questions = {
  'p99 by route': { sql: p99ByRoute, rows: 200 },
  'p99 by route of servers': { sql: p99ByRoute.replace('FROM spans', 'FROM requests'), rows: 200 },
  'trace by its key': {
    sql: `SELECT * FROM spans WHERE trace_key = ${traceKey} AND trace_id = '${traceId}'`,
    rows: spansInTrace,
  },
  'trace by its text': {
    sql: `SELECT * FROM spans WHERE trace_id = '${traceId}'`,
    rows: spansInTrace,
  },
  'errors by service': {
    sql: 'SELECT service, avg(is_error::INT) FROM requests GROUP BY service',
    rows: 9,
  },
} as const;

function contenders(store: TelemetryStore): readonly Contender[] {
  return Object.entries(questions).map(([name, { sql, rows }]) => ({
    name,
    round: async () => {
      check(await ask(store, { sql }), rows);
      return 1;
    },
  }));
}

function check(answer: SqlAnswer, rows: number): void {
  if (answer.rows.length !== rows) throw new Error(`${answer.rows.length} rows, and not ${rows}`);
}

function told(
  measured: Awaited<ReturnType<typeof interleave>>,
  store: TelemetryStore,
): BenchResult {
  const ms = (name: string, q: number) =>
    quantile(
      (measured.get(name) ?? []).map(({ seconds }) => seconds * 1_000),
      q,
    );
  const cpuMs = (name: string) =>
    quantile(
      (measured.get(name) ?? []).map(({ cpuSeconds }) => cpuSeconds * 1_000),
      0.5,
    );
  const { bytes, segments } = store.status();
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    bars: [
      bar('query-p99-by-route', 'p99 by route over 10 M spans', ms('p99 by route', 0.5), 300),
      bar('query-trace', 'a trace by id among 10 M spans', ms('trace by its key', 0.5), 50),
    ],
    rows: [
      ...[...measured.keys()].map((contender) => ({
        contender,
        'ms p50': round(ms(contender, 0.5)),
        'ms p99': round(ms(contender, 0.99)),
        'CPU ms': round(cpuMs(contender)),
      })),
      {
        contender: 'ten million spans on disk',
        segments,
        'bytes per span': Math.round(bytes / spansOfBench),
      },
    ],
  };
}

function bar(id: string, what: string, value: number, most: number): BenchResult['bars'][number] {
  return { id, what, value, unit: 'ms', bar: `≤ ${most}`, holds: value <= most };
}
