import { once } from 'node:events';
import { connect, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { until } from '../../tests/harness/until.ts';
import { Calls } from './grpc.fixture.ts';
import { Scene } from './scene.fixture.ts';

let scene: Scene;
let calls: Calls;
let plain: Http2Server;
const ports: Record<string, number> = {};
const gone: string[] = [];

/** The baselines answer `baseline` and the candidates `candidate`, in each protocol. */
beforeAll(async () => {
  scene = await Scene.open();
  calls = await Calls.open();
  plain = createHttp2Server();
  plain.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    stream.on('close', () => gone.push(`${headers[':path']} ${stream.rstCode}`));
    if (headers[':path'] === '/wait') return;
    stream.respond({ ':status': 200, 'x-host': headers[':authority'] ?? '' });
    stream.pipe(stream);
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  ports.plain = (plain.address() as AddressInfo).port;
  for (const name of ['baseline', 'candidate']) ports[name] = await serveSockets(name);
  const override = (port: number, instance: string) => ({ port, instance });
  await scene.router.setTable({
    ingress: 'edge',
    services: {
      edge: { port: ports.baseline as number },
      prices: { port: calls.port('baseline'), protocol: 'grpc' },
      streams: { port: ports.plain, protocol: 'h2c' },
    },
    lanes: {
      k1: {
        lane: 'lane_1',
        overrides: {
          edge: override(ports.candidate as number, 'edge/lane_1/a'),
          prices: override(calls.port('candidate'), 'prices/lane_1/a'),
        },
      },
      dead: {
        lane: 'lane_2',
        overrides: { edge: override(2, 'e/2'), prices: override(1, 'prices/lane_2/a') },
      },
    },
  });
});
afterAll(async () => {
  await calls[Symbol.asyncDispose]();
  plain.close();
  await scene[Symbol.asyncDispose]();
});

function serveSockets(name: string): Promise<number> {
  const sockets = new WebSocketServer({ noServer: true });
  return scene
    .serve((request, response) => {
      if (request.url !== '/events') return void response.writeHead(200).end(name);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${name}\n\n`);
      request.on('close', () => gone.push('/events'));
    })
    .then((port) => {
      scene.serverOn(port).on('upgrade', (request, socket, head) => {
        if (request.url === '/refused') return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        sockets.handleUpgrade(request, socket, head, (open) => {
          open.send(`${name} ${request.url} ${request.headers['x-own']}`);
          open.on('message', (message) => open.send(message, { binary: true }));
          open.on('close', () => gone.push('socket'));
        });
      });
      return port;
    });
}

const keyed = (key: string, to?: string) => ({
  baggage: `surety-lane=${key}`,
  ...(to === undefined ? {} : { 'x-surety-to': to }),
});

const struck = (service: string, fault: string) => ({
  ...keyed('k1', `${service}:80`),
  baggage: `surety-lane=k1,surety-fault=*>${service}:${fault}`,
});

const dial = (path: string, key = 'k1', more: Record<string, string> = {}): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${scene.port}${path}`, {
    headers: { ...keyed(key), 'x-own': '1', ...more },
  });

// proves: lanes.protocols
describe('a WebSocket', () => {
  test('reaches the candidate and carries messages both ways', async () => {
    const socket = dial('/talk');
    const [hello] = await once(socket, 'message');
    expect(String(hello)).toBe('candidate /talk 1');
    const large = Buffer.alloc(1024 * 1024, 'surety ');
    socket.send(large);
    const [echo] = await once(socket, 'message');
    expect((echo as Buffer).equals(large)).toBe(true);
    socket.close(4_001, 'bye');
    const [code] = await once(socket, 'close');
    expect(code).toBe(4_001);
    const hops = await scene.hops('k1', 1);
    expect(hops.find(({ path }) => path === '/talk')).toMatchObject({
      protocol: 'websocket',
      status: 101,
      instance: 'edge/lane_1/a',
    });
  });

  test.each([
    ['nobody', '/talk', 503],
    ['dead', '/talk', 502],
    ['k1', '/refused', 403],
  ])('with key %s to %s is refused with %s', async (key, path, status) => {
    const socket = dial(path, key);
    const [, answer] = await once(socket, 'unexpected-response');
    expect(answer.statusCode).toBe(status);
    answer.resume();
  });

  test('meets the fault that it asks for', async () => {
    const refused = dial('/talk', 'k1', struck('edge', 'status=503'));
    const [, answer] = await once(refused, 'unexpected-response');
    expect(answer.statusCode).toBe(503);
    answer.resume();
    const late = dial('/talk', 'k1', struck('edge', 'delay=5'));
    await once(late, 'message');
    late.terminate();
    const [, wrong] = await once(
      dial('/talk', 'k1', struck('edge', 'lost')),
      'unexpected-response',
    );
    expect([wrong.statusCode, wrong.headers['x-surety-refused']]).toEqual([
      400,
      'INJECTION_INVALID',
    ]);
    wrong.resume();
  });

  test('ends with its lane', async () => {
    const table = await scene.router.table();
    const socket = dial('/talk');
    await once(socket, 'message');
    gone.length = 0;
    await scene.router.setTable({ ...table, lanes: {} });
    await once(socket, 'close');
    await until('the candidate was told', () => gone.includes('socket'));
    await scene.router.setTable(table);
    expect(
      await (await fetch(`http://127.0.0.1:${scene.port}/`, { headers: keyed('k1') })).text(),
    ).toBe('candidate');
  });
});

describe('server-sent events', () => {
  test('arrive one by one until the reader disconnects', async () => {
    const leave = new AbortController();
    const url = `http://127.0.0.1:${scene.port}/events`;
    const answer = await fetch(url, { headers: keyed('k1'), signal: leave.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('data: candidate\n\n');
    gone.length = 0;
    leave.abort();
    await until('the service was told', () => gone.includes('/events'));
    expect(gone).toEqual(['/events']);
  });
});

describe('HTTP/2', () => {
  async function ask(headers: Record<string, string>, body?: string) {
    const session = connect(`http://127.0.0.1:${scene.port}`);
    const stream = session.request({ ':path': '/a', ':method': 'POST', ...headers });
    stream.end(body);
    const [answer] = await once(stream, 'response');
    const said = await text(stream);
    session.close();
    return { answer, said };
  }

  test('is used for services that speak it, whatever the caller speaks', async () => {
    const second = await ask({ ...keyed('k1', 'streams:80'), ':authority': 'a.example' }, 'body');
    expect([second.answer[':status'], second.answer['x-host'], second.said]).toEqual([
      200,
      'a.example',
      'body',
    ]);
    const door = { ...(await scene.router.table()), ingress: 'streams' };
    await scene.router.setTable(door);
    const url = `http://127.0.0.1:${scene.port}/a`;
    const first = await fetch(url, { method: 'POST', body: 'body', headers: keyed('k1') });
    expect([first.status, await first.text()]).toEqual([200, 'body']);
    await scene.router.setTable({ ...door, ingress: 'edge' });
  });

  test('is translated for services that only speak HTTP/1', async () => {
    const { answer, said } = await ask(keyed('k1'), 'body');
    expect([answer[':status'], answer['x-surety-lane'], said]).toEqual([
      200,
      'lane_1',
      'candidate',
    ]);
  });

  test('requests are refused with an HTTP/2 answer', async () => {
    const { answer, said } = await ask(keyed('nobody'));
    expect(answer[':status']).toBe(503);
    expect(JSON.parse(said)).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
  });

  test('requests meet the faults that they ask for', async () => {
    const { answer, said } = await ask(struck('streams', 'status=429'), 'body');
    expect([answer[':status'], said]).toEqual([429, expect.stringContaining('injected by surety')]);
    await expect(ask(struck('streams', 'reset'))).rejects.toThrow('closed with error code');
    await expect(ask(struck('streams', 'lost'), 'body')).rejects.toThrow('closed with error code');
    expect((await scene.hops('k1', 1)).find(({ injected }) => injected === 'lost')).toMatchObject({
      answered: true,
      status: 0,
      lostStatus: 200,
      responseBytes: 'body'.length,
    });
    const late = await ask(struck('streams', 'delay=5'), 'body');
    expect([late.answer[':status'], late.said]).toEqual([200, 'body']);
  });

  test('tells the service when its caller cancels', async () => {
    const session = connect(`http://127.0.0.1:${scene.port}`);
    const path = { ':path': '/wait', ...keyed('k1', 'streams:80') };
    const stream = session.request(path).on('error', () => {});
    gone.length = 0;
    await until('it is there', async () => {
      stream.close(8);
      return gone.length > 0;
    });
    expect(gone).toEqual(['/wait 8']);
    session.close();
  });
});

describe('gRPC', () => {
  const meta = () => ({
    ...keyed('k1', 'prices:80'),
    'x-own': 'a',
    'x-raw-bin': Buffer.from([0, 255]),
  });

  test('calls of all four kinds reach the candidate, with metadata and trailers', async () => {
    const client = calls.client(scene.port);
    for (const kind of ['unary', 'upload', 'download', 'both'] as const) {
      const { said, trailers, metadata } = await client[kind](['1', '2'], meta());
      expect([kind, said]).toEqual([kind, kind === 'unary' ? ['candidate 1'] : expected[kind]]);
      expect(trailers.get('x-after-bin')).toEqual([Buffer.from([1, 254])]);
      expect(metadata.get('x-echo-bin')).toEqual([Buffer.from([0, 255])]);
    }
    const hops = await scene.hops('k1', 4);
    const last = hops.filter(({ to }) => to === 'prices');
    expect(last.map(({ protocol, instance }) => [protocol, instance])).toEqual(
      Array.from({ length: 4 }, () => ['grpc', 'prices/lane_1/a']),
    );
    client.close();
  });

  const expected = {
    upload: ['candidate 1,2'],
    download: ['candidate 1', 'candidate 1'],
    both: ['candidate 1', 'candidate 2'],
  };

  test('passes the status and message of the service to the caller', async () => {
    const client = calls.client(scene.port);
    const failing = client.unary(['fail'], meta());
    await expect(failing).rejects.toMatchObject({ code: 9, details: 'not today, ä' });
    await until('it is recorded as what it means', async () =>
      (await scene.hops('k1', 1)).some(({ to, status }) => to === 'prices' && status === 400),
    );
    client.close();
  });

  test.each([
    ['nobody', /LANE_UNKNOWN/],
    ['dead', /LANE_SERVICE_DOWN/],
  ])('fails a call with key %s as unavailable, with the reason', async (key, reason) => {
    const client = calls.client(scene.port);
    const call = client.unary(['1'], keyed(key, 'prices:80'));
    await expect(call).rejects.toMatchObject({ code: 14, details: expect.stringMatching(reason) });
    client.close();
  });

  test('calls meet the faults that they ask for', async () => {
    const client = calls.client(scene.port);
    const refused = client.unary(['1'], struck('prices', 'status=503'));
    await expect(refused).rejects.toMatchObject({
      code: 14,
      details: expect.stringContaining('injected by surety: status=503'),
    });
    const late = await client.unary(['1'], struck('prices', 'delay=5'));
    expect(late.said).toEqual(['candidate 1']);
    client.close();
  });

  test('enforces a deadline and passes it to the service', async () => {
    const client = calls.client(scene.port);
    const call = client.unary(['wait'], meta(), 200);
    await expect(call).rejects.toMatchObject({ code: 4 });
    await until('the service was told', () => calls.cancelled.length > 0);
    expect(calls.cancelled[0]).toBe('candidate');
    client.close();
  });
});
