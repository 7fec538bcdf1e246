import { once } from 'node:events';
import { createServer, type Http2Server } from 'node:http2';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import type { Tag } from '../index.ts';
import { Recorder, Service } from '../service.fixture.ts';

const register = fileURLToPath(
  import.meta.resolve('@opentelemetry/auto-instrumentations-node/register'),
);

let router: Recorder;
let next: Recorder;
let collector: Recorder;
let rpcCollector: Http2Server;
let exportedByRpc = 0;

beforeAll(async () => {
  [router, next, collector] = await Promise.all([
    Recorder.open('router'),
    Recorder.open('next'),
    Recorder.open('collector'),
  ]);
  rpcCollector = createServer((_, response) => {
    exportedByRpc++;
    response.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': '0' }).end();
  }).listen(0, '127.0.0.1');
  await once(rpcCollector, 'listening');
});
afterAll(async () => {
  for (const one of [router, next, collector]) await one?.[Symbol.asyncDispose]();
  rpcCollector.close();
});

const common = {
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_NODE_ENABLED_INSTRUMENTATIONS: 'http',
  OTEL_NODE_RESOURCE_DETECTORS: 'none',
};
const at = (): string => `http://127.0.0.1:${collector.port}`;

const exporters: [string, () => Record<string, string>, () => number][] = [
  [
    'OTLP over HTTP',
    () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: at(), OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }),
    () => collector.take().length,
  ],
  [
    'OTLP over gRPC',
    () => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(rpcCollector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    }),
    () => exportedByRpc,
  ],
  [
    'Zipkin',
    () => ({
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_ZIPKIN_ENDPOINT: `${at()}/api/v2/spans`,
    }),
    () => collector.take().length,
  ],
];

// proves: lanes.exporters
test.each(exporters)(
  '%s is no traffic of a lane, and its calls are no losses',
  async (_, environment, count) => {
    const tag = {
      service: 'orders',
      router: `127.0.0.1:${router.port}`,
      nodeOptions: `--require "${register}"`,
    };
    await using service = await Service.start({
      tag,
      environment: { ...common, ...environment() },
    });
    const path = `/call/get?to=http://127.0.0.1:${next.port}/on`;
    let exports = 0;
    // Exports happen while requests with the key and without are handled, and between them.
    await until('several exports were sent', async () => {
      await Promise.all([1, 2, 3, 4].map((n) => service.ask(path, n % 2 ? 'k1' : undefined)));
      exports += count();
      return exports >= 8;
    });
    const others = router.take().filter(({ url }) => url !== '/on');
    expect(others.map(({ url, headers }) => [url, headers['x-surety-method']])).toEqual([]);
  },
);

const late = 'OTEL_EXPORTER_LATE_ENDPOINT';
const toNext = (host: string): string => `http://${host}:${next.port}`;
const setLate = (): string => `process.env.${late}='${toNext('127.0.0.1')}'`;

const pricing = (): Partial<Tag> => ({ hosts: { 'pricing:*': `127.0.0.1:${next.port}` } });

// proves: lanes.exporters
test.each<[string, () => Record<string, string>, () => Partial<Tag>]>([
  ['its address', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: toNext('127.0.0.1') }), pricing],
  [
    'another name of this machine',
    () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: toNext('localhost') }),
    pricing,
  ],
  ['its name', () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://Pricing/' }), pricing],
  [
    'its address only after the start',
    () => ({}),
    () => ({ nodeOptions: `--import "data:text/javascript,${setLate()}"` }),
  ],
])('a service is no exporter if a variable has %s', async (_, environment, more) => {
  const variables = environment();
  const tag = { service: 'orders', router: `127.0.0.1:${router.port}`, ...more() };
  await using service = await Service.start({ tag, environment: variables });
  const called = variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? toNext('127.0.0.1');
  router.take();
  await service.ask(`/call/get?to=${new URL('/on', called)}`, 'k1');
  expect(router.take().map(({ url }) => url)).toContain('/on');
});

test('a collector that is a service is an exporter at its usual port only', () => {
  const { setExporters, isExporter } = createRequire(import.meta.url)('./exporters.cjs');
  const hosts = new Map([4318, 4303].map((port) => [`collector:${port}`, { host: '::1', port }]));
  const services = { hosts, router: { host: '127.0.0.1', port: 1 } };
  const at = (port: number) => `http://collector:${port}/v1/traces`;
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: at(4318), OTEL_EXPORTER_X_ENDPOINT: at(4303) };
  setExporters(variables, services);
  expect([isExporter('collector:4318'), isExporter('collector:4303')]).toEqual([true, false]);
});
