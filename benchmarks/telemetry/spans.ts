import { createHash } from 'node:crypto';
import type { TelemetryStore } from '../../src/telemetry/store/store.ts';
import type { Say } from '../bench.ts';

export const spansOfBench = 10_000_000;
const pieces = 20;

const traceId = createHash('md5').update('424242').digest('hex');

/** Eight spans, among those of a thousand others that went on at the same time. */
export const traceOfBench = {
  traceId,
  traceKey: BigInt(`0x${traceId.slice(16)}`),
  spansInTrace: 8,
};

/** Made by DuckDB itself: through the receivers it would take minutes, and be the same. */
export async function fillWithSpans(store: TelemetryStore, say: Say): Promise<void> {
  const connection = await store.connect();
  await store.write({});
  for (let piece = 0; piece < pieces; piece++) {
    if (piece % 5 === 0) say(`making ten million spans: ${piece * (100 / pieces)} %`);
    const segment = `segment_${String(store.status().segments).padStart(6, '0')}`;
    await connection.run(insert(segment, piece * (spansOfBench / pieces)));
    await connection.run(`CHECKPOINT ${segment}`);
    await store.tidy();
  }
  connection.closeSync();
}

function insert(segment: string, first: number): string {
  const service = `'service-' || hash(i) % 9`;
  const route = `'/api/v1/things/:id/part' || hash(i) % 200`;
  const columns = {
    trace_id: `md5(((i // 8000) * 1000 + i % 1000)::VARCHAR)`,
    span_id: `format('{:016x}', hash(i))`,
    parent_span_id: `format('{:016x}', hash(i - 1000))`,
    service,
    instance: `${service} || '/baseline/1'`,
    lane: `CASE WHEN hash(i + 1) % 10 = 0 THEN 'lane_' || hash(i) % 5 ELSE '' END`,
    name: `'GET ' || ${route}`,
    kind: `CASE WHEN i % 2 = 0 THEN 'server' ELSE 'client' END`,
    time: 'make_timestamptz(1794722400000000 + i * 1000)',
    duration_ms: 'exp((hash(i * 3) % 1000000) / 1e6 * 7)',
    status: `CASE WHEN hash(i) % 100 = 0 THEN 'error' ELSE 'unset' END`,
    status_message: `''`,
    method: `'GET'`,
    route,
    http_status: '200',
    peer: `CASE WHEN i % 2 = 1 THEN 'service-' || hash(i + 7) % 9 ELSE '' END`,
    request_id: `'req-' || i // 8`,
    error_signature: `''`,
    cpu_us: 'hash(i * 5) % 2000',
    request_bytes: '0',
    response_bytes: 'hash(i * 7) % 4000',
    calls: '1',
    attributes: `'{"user_agent.original":"undici","k":' || hash(i) % 1000 || '}'`,
    events: `'[]'`,
  };
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  const last = first + spansOfBench / pieces;
  return `INSERT INTO ${segment}.main.spans BY NAME
    SELECT *, TRY_CAST('0x' || right(trace_id, 16) AS UBIGINT) AS trace_key
    FROM (SELECT ${selected.join(', ')} FROM range(${first}, ${last}) spans(i))`;
}
