import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalServer, startNats } from '../../../tests/harness/local-server.ts';
import { until } from '../../../tests/harness/until.ts';
import { findOldNode } from '../old-node.fixture.ts';
import { type ReceivedLine, type ReceivedSpan, Receiver } from '../receiver.fixture.ts';
import { Service } from '../service.fixture.ts';

let nats: LocalServer;
let router: Server;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-messages-'));
  nats = await startNats();
  // In every lane the baseline consumes.
  router = createServer((_, response) =>
    response.writeHead(204, { 'x-surety-consumer': 'baseline' }).end(),
  ).listen(0, '127.0.0.1');
  await once(router, 'listening');
});

afterAll(async () => {
  router?.closeAllConnections();
  router?.close();
  await nats?.stop();
  rmSync(directory, { recursive: true });
});

const clients: [string, string, string][] = [
  ['nats', process.execPath, 'work'],
  ['@nats-io/transport-node', findOldNode() ?? process.execPath, 'tasks'],
];

describe.each(clients)('messages by %s on %s', (client, node, stream) => {
  let receiver: Receiver;
  let service: Service;
  let numbers = 0;

  beforeAll(async () => {
    receiver = await Receiver.open();
    const { port } = router.address() as AddressInfo;
    service = await Service.start({
      node,
      file: 'message-service.cjs',
      log: join(directory, client.replaceAll('/', '-')),
      tag: { router: `127.0.0.1:${port}`, telemetry: receiver.address },
      environment: {
        CLIENT: createRequire(import.meta.url).resolve(client),
        STREAM: stream,
        QUEUE_URL: `nats://127.0.0.1:${nats.port}`,
      },
    });
  });

  afterAll(async () => {
    for (const one of [service, receiver]) await one?.[Symbol.asyncDispose]();
  });

  /** Publishes within a request, and waits for what is told of its trace. */
  async function publish(
    subject: string,
    text: string,
    { key = '', more = '', way = 'publish' } = {},
  ) {
    numbers += 1;
    const trace = numbers.toString(16).padStart(32, '0');
    const baggage = key ? { baggage: `surety-lane=${key}` } : {};
    const headers = { ...baggage, traceparent: `00-${trace}-0123456789abcdef-01` };
    const path = `/${way}?subject=${subject}&text=${text}${more}`;
    expect((await service.ask(path, undefined, { headers })).status).toBe(200);
    const find = (kind: string): Promise<ReceivedSpan> =>
      until(`${kind} of ${text} is told`, () =>
        receiver.spans.find((span) => span.traceId === trace && span.kind === kind),
      );
    return { trace, find };
  }

  const lineOf = (text: string): Promise<ReceivedLine> =>
    until(`${text} is told`, () => receiver.lines.find((line) => line.text.endsWith(text)));

  // proves: telemetry.lines-traced
  test.each([
    ['a callback', 'orders.17.made', 'orders.:id.made', undefined],
    ['a callback, in a lane', 'asked', 'asked', 'key-1'],
    ['a loop', 'looped', 'looped', undefined],
    ['a loop, in a lane', 'looped', 'looped', 'key-1'],
    ['a loop over a stream', 'jobs', stream, undefined],
  ])('are reported with their processing in %s', async (_, subject, name, key) => {
    const text = `m-${numbers}`;
    const { trace, find } = await publish(subject, text, key ? { key } : {});
    const kinds = ['server', 'producer', 'consumer'];
    const [request, sent, handled] = (await Promise.all(kinds.map(find))) as [
      ReceivedSpan,
      ReceivedSpan,
      ReceivedSpan,
    ];
    expect([request.values['surety.calls'], sent.parentSpanId]).toEqual([1, request.spanId]);
    expect([sent.name, handled.name]).toEqual([`publish ${name}`, `process ${name}`]);
    expect(sent.values).toMatchObject({ 'messaging.system': 'nats', 'server.port': nats.port });
    expect(handled).toMatchObject({ parentSpanId: sent.spanId, failure: undefined });
    const line = await lineOf(text);
    // It is written after a pause, at the end of what is done with the message.
    expect(line.timeNs).toBeGreaterThan(handled.startNs);
    expect(line.timeNs).toBeLessThanOrEqual(handled.endNs);
    expect([line.traceId, line.spanId]).toEqual([trace, handled.spanId]);
    const lanes = [sent, handled, line].map(({ values }) => values['surety.lane']);
    expect(lanes).toEqual([key, key, key]);
  });

  test('are reported with the error of their handler, which still reaches the application', async () => {
    const { find } = await publish('asked', 'bad-1');
    expect((await find('consumer')).failure).toBe('RangeError: no such order');
    await lineOf('unhandled no such order');
  });

  describe.each(['', 'key-1'])('in the lane "%s"', (key) => {
    test('do not execute a lazy query that their handler returns', async () => {
      const { find } = await publish('lazy', `lazy-${key}`, { key });
      expect((await find('consumer')).failure).toBeUndefined();
      expect(await (await service.ask('/queries')).text()).toBe('0');
    });

    test('with a status header that has no text are sent and traced', async () => {
      const { trace } = await publish('asked', `on-${key}`, { key, way: 'forward' });
      expect((await lineOf(`callback on-${key}`)).traceId).toBe(trace);
    });

    test('that a request awaits in a loop do not take over its later calls', async () => {
      const { trace, find } = await publish('asked', `then-${key}`, { key, way: 'loop' });
      const line = await until('the last is told', () =>
        receiver.lines.find(({ text }) => text === `callback then-${key}`),
      );
      expect([line.traceId, line.values['surety.lane']]).toEqual([trace, key || undefined]);
      const { spanId } = await find('server');
      const sent = await until('both are told', () => {
        const found = receiver.spans.filter(
          ({ traceId, kind }) => traceId === trace && kind === 'producer',
        );
        return found.length === 2 ? found : undefined;
      });
      expect(sent.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
        ['publish replies', spanId],
        ['publish asked', spanId],
      ]);
    });
  });

  test('of the maximum length are sent unchanged, without a trace', async () => {
    const { trace } = await publish('asked', 'long', { more: `&length=${1024 * 1024}` });
    const line = await until('it came', () =>
      receiver.lines.find(({ text }) => text.startsWith('callback long')),
    );
    expect(line.traceId).not.toBe(trace);
  });

  test('are answered as without the preload', async () => {
    const answer = await service.ask('/request?subject=answered&text=hello');
    expect(await answer.text()).toBe('hello');
  });
});
