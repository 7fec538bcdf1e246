import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Exporter } from '../src/telemetry/export/exporter.ts';
import { type Receivers, startReceivers } from '../src/telemetry/otlp/receivers.fixture.ts';
import { spanRow } from '../src/telemetry/row.fixture.ts';
import { freePorts } from './harness/free-ports.ts';
import { type LocalServer, startLocalServer } from './harness/local-server.ts';
import { until } from './harness/until.ts';

/** `npm run test:languages` says where these are; elsewhere there is no need for them. */
const { SURETY_TEST_PYTHON: python = '', SURETY_TEST_COLLECTOR: collector = '' } = process.env;
const program = fileURLToPath(new URL('fixtures/otel_service.py', import.meta.url));
const requests = 300;

describe.skipIf(!existsSync(python))('a service in Python with OpenTelemetry', () => {
  let receivers: Receivers;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    receivers = await startReceivers();
  });

  afterEach(async () => {
    for (const child of children.splice(0)) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
  });

  afterAll(() => receivers.close());

  async function start(service: string, endpoint: number): Promise<string> {
    const { port } = await freePorts(['port']);
    const env = {
      PORT: String(port),
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${endpoint}`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    children.push(spawn(python, [program], { env, stdio: 'ignore' }));
    const address = `http://127.0.0.1:${port}`;
    await until('it answers', () =>
      fetch(`${address}/flush`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return address;
  }

  /** Every second request belongs to a lane. */
  async function send(address: string): Promise<void> {
    for (let n = 0; n < requests; n++) {
      const trace = n.toString(16).padStart(32, 'a');
      const state = n % 2 === 0 ? { tracestate: 'surety=lane_py' } : {};
      const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, ...state };
      await (await fetch(`${address}/orders`, { headers })).arrayBuffer();
    }
    await (await fetch(`${address}/flush`)).arrayBuffer();
  }

  const rowsOf = (service: string) => ({
    spans: receivers.kept.rows.spans.filter((row) => row.service === service),
    logs: receivers.kept.rows.logs.filter((row) => row.service === service),
    metrics: receivers.kept.rows.metrics.filter((row) => row.service === service),
  });

  async function expectAll(service: string): Promise<void> {
    await until('all has come', () => {
      const { spans, logs } = rowsOf(service);
      return spans.length >= requests && logs.length >= requests;
    });
    const { spans, logs, metrics } = rowsOf(service);
    expect([spans.length, logs.length]).toEqual([requests, requests]);
    expect(spans[0]).toMatchObject({ kind: 'server', route: '/orders', httpStatus: 200 });
    // A line has no lane of its own: it is that of its trace, if a span of it came before. The
    // sender has proven nothing here, so its rows stay apart from those of the lane itself.
    expect(spans.filter(({ lane }) => lane === 'unproven:lane_py')).toHaveLength(requests / 2);
    expect(logs.every(({ traceId }) => traceId !== '')).toBe(true);
    const taken = metrics.filter(({ name }) => name === 'orders.taken');
    expect(taken.at(-1)).toMatchObject({ kind: 'counter', value: requests });
  }

  test('reports every request, with its lane', async () => {
    await send(await start('python-direct', receivers.port));
    await expectAll('python-direct');
  });

  describe.skipIf(!existsSync(collector))('through the OpenTelemetry Collector', () => {
    test.each(['otlp', 'otlphttp'])('loses nothing with its exporter %s', async (exporter) => {
      const relay = await startCollector(exporter);
      try {
        const service = `python-${exporter}`;
        await send(await start(service, relay.port));
        await expectAll(service);
      } finally {
        await relay.stop();
      }
    });

    test('receives our exported copies and forwards them complete', async () => {
      const relay = await startCollector('otlp');
      const endpoint = `http://127.0.0.1:${relay.port}`;
      const exporter = new Exporter({
        endpoint,
        protocol: 'http/protobuf',
        headers: {},
        signals: ['traces'],
        lanesOnly: true,
      });
      const span = spanRow({ service: 'copied', lane: 'lane_copy' });
      exporter.see({ spans: Array(requests).fill(span) });
      await exporter.close();
      await until('all came round', () => rowsOf('copied').spans.length >= requests);
      await relay.stop();
      expect(exporter.status()).toMatchObject({ sent: requests, lost: 0 });
      expect(rowsOf('copied').spans).toHaveLength(requests);
      expect(rowsOf('copied').spans[0]).toMatchObject({ lane: 'lane_copy', route: span.route });
    });
  });

  function startCollector(exporter: string): Promise<LocalServer> {
    const { port, grpcPort } = receivers;
    const endpoint = exporter === 'otlp' ? `127.0.0.1:${grpcPort}` : `http://127.0.0.1:${port}`;
    return startLocalServer(collector, (own, directory) => {
      const pipeline = { receivers: ['otlp'], exporters: [exporter] };
      const config = {
        receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${own}` } } } },
        exporters: { [exporter]: { endpoint, tls: { insecure: true } } },
        service: {
          telemetry: { metrics: { level: 'none' } },
          pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline },
        },
      };
      writeFileSync(join(directory, 'config.yaml'), JSON.stringify(config));
      return [`--config=file:${join(directory, 'config.yaml')}`];
    });
  }
});

test('the tools for the requested languages are installed', () => {
  expect([python, collector].filter((path) => path !== '' && !existsSync(path))).toEqual([]);
});
