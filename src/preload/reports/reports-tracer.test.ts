import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { type ReceivedLine, type ReceivedSpan, Receiver } from '../receiver.fixture.ts';
import { Service } from '../service.fixture.ts';

const register = fileURLToPath(
  import.meta.resolve('@opentelemetry/auto-instrumentations-node/register'),
);

let directory: string;
let receiver: Receiver;
let other: Receiver;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-tracer-'));
  [receiver, other] = await Promise.all([Receiver.open(), Receiver.open()]);
});

afterAll(async () => {
  for (const one of [receiver, other]) await one?.[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** A service with the tracer of OpenTelemetry, which reports to this receiver. */
function startTraced(name: string, { address }: Receiver): Promise<Service> {
  return Service.start({
    file: 'output-service.cjs',
    log: join(directory, `${name}.log`),
    tag: { telemetry: receiver.address, nodeOptions: `--require "${register}"` },
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${address}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_SERVICE_NAME: name,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
    },
  });
}

const serverSpans = (by: Receiver): ReceivedSpan[] =>
  by.spans.filter(({ kind }) => kind === 'server');

test('leaves the reports of requests to a tracer that reports to the same place', async () => {
  await using service = await startTraced('same', receiver);
  for (const text of ['one', 'two']) await service.ask(`/stdout?text=${text}`);
  const isSecond = ({ text }: ReceivedLine): boolean => text === 'two';
  const line = await until('the line is there', () => receiver.lines.find(isSecond));
  await until('metrics are there', () => receiver.points.length > 0);
  await until('both spans are there', () => serverSpans(receiver).length >= 2);
  const names = serverSpans(receiver).map(({ resource }) => resource['telemetry.sdk.name']);
  expect(names).toEqual(['opentelemetry', 'opentelemetry']);
  expect(serverSpans(receiver).map(({ traceId }) => traceId)).toContain(line.traceId);
  // What the tracer sends is no call of the service.
  expect(receiver.spans.filter(({ kind }) => kind === 'client')).toEqual([]);
});

test('does not affect a tracer that reports elsewhere', async () => {
  receiver.spans.length = 0;
  await using service = await startTraced('elsewhere', other);
  await service.ask('/stdout?text=three');
  await until(
    'both are there',
    () => serverSpans(receiver).length > 0 && serverSpans(other).length > 0,
  );
  const names = serverSpans(receiver).map(({ resource }) => resource['telemetry.sdk.name']);
  expect(names).toEqual(['surety']);
});
