import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBDataChunk, DuckDBInstance, VARCHAR } from '@duckdb/node-api';
import { createClock } from '../../src/kernel/index.ts';
import { telemetryLimits } from '../../src/telemetry/limits.ts';
import { spanRow } from '../../src/telemetry/row.fixture.ts';
import type { SpanRow } from '../../src/telemetry/rows.ts';
import { openStore } from '../../src/telemetry/store/store.ts';
import {
  type BenchResult,
  type Contender,
  interleave,
  median,
  type Round,
  type Say,
} from '../bench.ts';

const rounds = 8;
const batch = telemetryLimits.telemetryBatchRowsMax;
const cpuUsMost = 10;

/** What it costs to store spans that are rows already, beside DuckDB's appender alone. */
export async function measureStoring(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-storing-'));
  const ours = await storeContender(join(directory, 'store'));
  const bare = await appenderContender(join(directory, 'bare.duckdb'));
  try {
    return told(await interleave([ours, bare], rounds, say));
  } finally {
    await ours.close();
    await bare.close();
    rmSync(directory, { recursive: true });
  }
}

interface Closable extends Contender {
  close(): Promise<void>;
}

function manySpans(): readonly SpanRow[] {
  return Array.from({ length: batch }, (_, at) => {
    const digits = Math.imul(at, 0x9e3779b1).toString(16).replace('-', '').padStart(8, '0');
    return spanRow({
      traceId: digits.repeat(4),
      spanId: digits.repeat(2),
      parentSpanId: digits.repeat(2),
      service: `service-${at % 9}`,
      route: `/api/v1/things/:id/part${at % 40}`,
      name: `GET /api/v1/things/:id/part${at % 40}`,
      requestId: `req-${at}`,
      durationNs: BigInt(at) * 1_000n,
      attributes: `{"user_agent.original":"undici","n":${at % 1_000}}`,
    });
  });
}

async function storeContender(directory: string): Promise<Closable> {
  const retention = { ms: 3_600_000, bytes: 1024 ** 3 };
  const store = await openStore(directory, { clock: createClock(), retention });
  return {
    name: 'stored as rows',
    round: async () => {
      await store.write({ spans: manySpans() });
      return batch;
    },
    close: () => store.close(),
  };
}

/** The same values as texts, copied by DuckDB's own appender into one table on disk. */
async function appenderContender(file: string): Promise<Closable> {
  const database = await DuckDBInstance.create(file);
  const connection = await database.connect();
  const names = Object.keys(spanRow()) as (keyof SpanRow)[];
  await connection.run(
    `CREATE TABLE spans (${names.map((name) => `"${name}" VARCHAR`).join(', ')})`,
  );
  const types = names.map(() => VARCHAR);
  return {
    name: 'bare appender',
    round: async () => {
      const rows = manySpans();
      const appender = await connection.createAppender('spans');
      const chunk = DuckDBDataChunk.create(types);
      for (let first = 0; first < rows.length; first += 2_048) {
        const part = rows.slice(first, first + 2_048);
        chunk.setColumns(names.map((name) => part.map((row) => String(row[name] ?? ''))));
        appender.appendDataChunk(chunk);
      }
      appender.closeSync();
      return batch;
    },
    close: async () => {
      connection.closeSync();
      database.closeSync();
    },
  };
}

function told(measured: ReadonlyMap<string, readonly Round[]>): BenchResult {
  const cpuUs = (name: string) =>
    median((measured.get(name) ?? []).map((one) => (one.cpuSeconds * 1e6) / one.operations));
  const value = cpuUs('stored as rows');
  const rows = [...measured.keys()].map((contender) => ({
    contender,
    'CPU µs per span': Math.round(cpuUs(contender) * 10) / 10,
    'spans/s per core': Math.round(1e6 / cpuUs(contender)),
    'CPU relative to the bare appender':
      Math.round((cpuUs(contender) / cpuUs('bare appender')) * 100) / 100,
  }));
  const what = 'CPU to store a span that is already a row';
  return {
    rows,
    bars: [
      {
        id: 'store-span',
        what,
        value,
        unit: 'µs',
        bar: `≤ ${cpuUsMost}`,
        holds: value <= cpuUsMost,
      },
    ],
  };
}
