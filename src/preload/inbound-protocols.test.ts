import { once } from 'node:events';
import { connect } from 'node:http2';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serviceNodes } from './old-node.fixture.ts';
import { Recorder, Service } from './service.fixture.ts';

type Headers = Record<string, string>;
const same = (buffer: Buffer): Buffer => buffer;

interface Asked {
  readonly port: number;
  readonly headers: Headers;
  readonly to: string;
}

interface Answer {
  readonly text: string;
  readonly served: unknown;
}

async function askHttp2({ port, headers, to }: Asked): Promise<Answer> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ':path': `/${to}`, ...headers });
  const [head] = (await once(stream, 'response')) as [Headers];
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  session.close();
  return { text: Buffer.concat(chunks).toString(), served: head['x-surety-served'] };
}

async function askWebSocket({ port, headers, to }: Asked): Promise<Answer> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers });
  await once(socket, 'open');
  socket.send(to);
  const [data] = await once(socket, 'message');
  socket.terminate();
  return { text: String(data), served: 'a/lane_1/x' };
}

async function askGrpc({ port, headers, to }: Asked): Promise<Answer> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  let served: unknown;
  const text = await new Promise<string>((resolve, reject) => {
    const done = (error: Error | null, answer?: Buffer): void =>
      error ? reject(error) : resolve(String(answer));
    client
      .makeUnaryRequest('/shop/Call', same, same, Buffer.from(to), metadata, done)
      .on('metadata', (head: Metadata) => {
        served = head.get('x-surety-served')[0];
      });
  });
  client.close();
  return { text, served };
}

const protocols: [string, (asked: Asked) => Promise<Answer>][] = [
  ['http2', askHttp2],
  ['streams', askHttp2],
  ['websocket', askWebSocket],
  ['grpc', askGrpc],
];

describe.each(serviceNodes)('servers on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    const tag = { instance: 'a/lane_1/x', router: `127.0.0.1:${router.port}`, header: 'x-lane' };
    service = await Service.start({ node, tag, file: 'inbound-service.cjs' });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  test.each(protocols)('keep the key of a keyed request by %s', async (name, ask) => {
    const to = `127.0.0.1:${baseline.port}`;
    const port = service.ports[name] as number;
    const keyed = [{ baggage: 'surety-lane=k1' }, { tracestate: 'surety=k1' }, { 'x-lane': 'k1' }];
    for (const headers of keyed as Headers[]) {
      const answer = await ask({ port, headers, to });
      expect(answer).toEqual({ text: 'router', served: 'a/lane_1/x' });
      expect(router.take()).toMatchObject([{ headers: { tracestate: 'surety=k1' } }]);
    }
    const { text, served } = await ask({ port, headers: { 'x-request-id': '7' }, to });
    expect(text).toBe('baseline');
    if (name !== 'websocket') expect(served).toBeUndefined();
    expect(router.take()).toEqual([]);
    baseline.take();
  });

  test('propagate the request id and the trace of a keyed request', async () => {
    const to = `127.0.0.1:${baseline.port}`;
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    const headers = { baggage: 'surety-lane=k1', 'x-request-id': 'r-7', traceparent };
    await askHttp2({ port: service.ports.http2 as number, headers, to });
    expect(router.take()).toMatchObject([{ headers: { 'x-request-id': 'r-7', traceparent } }]);
  });
});
