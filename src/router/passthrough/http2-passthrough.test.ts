import { once } from 'node:events';
import { connect, createServer, type Http2Server } from 'node:http2';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { freePort } from '../../../tests/harness/free-ports.ts';
import { Calls } from '../grpc.fixture.ts';
import { newTraceparent, traceTag } from '../routing/trace-tag.ts';
import { Scene } from '../scene.fixture.ts';
import type { RouteTable } from '../table/table.ts';
import { frameTypes, goaway, makeFrame } from './http2-frames.ts';

const secret = 'ab'.repeat(32);
const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const keyed = { baggage: 'surety-lane=k1' };
const ports = { prices: 0, plain: 0, nobody: 0 };
let scene: Scene;
let calls: Calls;
let plain: Http2Server;
let idle: RouteTable;
let withLane: RouteTable;
let client: ReturnType<Calls['client']>;

beforeAll(async () => {
  scene = await Scene.open();
  calls = await Calls.open();
  plain = createServer({ settings: { maxConcurrentStreams: 77 } }).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  for (const name of ['prices', 'plain', 'nobody'] as const) ports[name] = await freePort();
  idle = {
    ingress: 'edge',
    header: 'x-lane',
    traceSecret: secret,
    services: {
      edge: { port: 1 },
      prices: { port: calls.port('baseline'), protocol: 'grpc' },
      plain: { port: (plain.address() as AddressInfo).port, protocol: 'h2c' },
      nobody: { port: await freePort(), protocol: 'h2c' },
    },
    doors: Object.entries(ports).map(([to, port]) => ({ port, from: 'edge', to })),
    lanes: {},
  };
  const overrides = { prices: { port: calls.port('candidate'), instance: 'prices/lane_1/a' } };
  withLane = { ...idle, lanes: { k1: { lane: 'lane_1', overrides, trace: '0000002a' } } };
});
beforeEach(async () => {
  await scene.router.setTable(idle);
  client = calls.client(ports.prices);
});
afterEach(() => client.close());
afterAll(async () => {
  plain.close();
  await calls[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

const said = async (metadata: Record<string, string> = {}): Promise<string> =>
  (await client.unary(['a'], metadata)).said.join();

describe('a door for gRPC while no lane is open', () => {
  test('passes calls of every kind on to the service', async () => {
    const raw = Buffer.from([0, 255]);
    const unary = await client.unary(['a'], { 'x-raw-bin': raw });
    expect([unary.said, unary.metadata.get('x-echo-bin')]).toEqual([['baseline a'], [raw]]);
    expect((await client.upload(['a', 'b'], {})).said).toEqual(['baseline a,b']);
    expect((await client.download(['a'], {})).said).toEqual(['baseline a', 'baseline a']);
    expect((await client.both(['a', 'b'], {})).said).toEqual(['baseline a', 'baseline b']);
    await expect(client.unary(['fail'], {})).rejects.toMatchObject({ code: 9 });
  });

  test('leaves it to the service and its caller to settle how they speak', async () => {
    const session = connect(`http://127.0.0.1:${ports.plain}`);
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(77);
    session.destroy();
  });

  // proves: lanes.fail-closed
  test.each<[string, Record<string, string>]>([
    ['a key in baggage', { baggage: 'user=1,surety-lane=k1' }],
    ['a key in tracestate', { tracestate: 'surety=k1' }],
    ['a key in the header of the table', { 'x-lane': 'k1' }],
    ['a trace id of an ended lane', { traceparent: newTraceparent(traceTag(secret, '0000002a')) }],
  ])('refuses %s on a connection that was passed through', async (_, metadata) => {
    expect(await said()).toBe('baseline a');
    for (let time = 0; time < 2; time++) {
      await expect(said(metadata)).rejects.toMatchObject({
        code: 14,
        details: expect.stringContaining('LANE_UNKNOWN'),
      });
      expect(await said()).toBe('baseline a');
    }
  });

  test('ends a connection with headers on no stream', async () => {
    const socket = connectSocket(ports.plain, '127.0.0.1');
    const said: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => said.push(bytes));
    const headers = makeFrame(frameTypes.headers, 0, Buffer.alloc(0));
    const settings = makeFrame(4, 0, Buffer.alloc(0));
    socket.write(Buffer.concat([Buffer.from(preface, 'latin1'), settings]));
    // The service has said its settings, so that the router may speak as well.
    await expect.poll(() => said.length).toBeGreaterThan(0);
    socket.write(headers);
    await expect.poll(() => Buffer.concat(said).includes(goaway(0))).toBe(true);
    socket.destroy();
  });

  test('says that a service is not there', async () => {
    const session = connect(`http://127.0.0.1:${ports.nobody}`);
    const answer = await text(session.request({ ':path': '/' }));
    expect(answer).toContain('TARGET_UNREACHABLE');
    session.destroy();
  });
});

describe('a door for gRPC when a lane opens and closes', () => {
  test('changes for callers that are connected, with the next call', async () => {
    expect(await said()).toBe('baseline a');
    await scene.router.setTable(withLane);
    expect(await said(keyed)).toBe('candidate a');
    expect(await said()).toBe('baseline a');
    await scene.router.setTable(idle);
    await expect(said(keyed)).rejects.toMatchObject({ code: 14 });
    expect(await said()).toBe('baseline a');
  });

  test('lets a stream that is open finish', async () => {
    const session = connect(`http://127.0.0.1:${ports.prices}`);
    const headers = { ':method': 'POST', ':path': '/prices.Prices/Both', te: 'trailers' };
    const stream = session.request({ ...headers, 'content-type': 'application/grpc' });
    const message = (letter: string): Buffer => Buffer.from(`\0\0\0\0\x01${letter}`, 'latin1');
    const got: string[] = [];
    stream.on('data', (bytes) => got.push(String(bytes)));
    stream.write(message('a'));
    await expect.poll(() => got.join('')).toContain('baseline a');
    await scene.router.setTable(withLane);
    stream.write(message('b'));
    await expect.poll(() => got.join('')).toContain('baseline b');
    await scene.router.setTable(idle);
    stream.end(message('c'));
    await expect.poll(() => got.join('')).toContain('baseline c');
    session.destroy();
  });

  const switches = runs(5, 500);

  test(`loses no call over ${switches} changes under load`, async () => {
    let isOver = false;
    const load = async (_: unknown, number: number): Promise<void> => {
      const own = calls.client(ports.prices);
      while (!isOver) {
        const kind = number % 2 === 0 ? 'unary' : 'both';
        expect((await own[kind](['x'], {})).said).toEqual(['baseline x']);
      }
      own.close();
    };
    const loads = Promise.all(Array.from({ length: 4 }, load));
    for (let change = 0; change < switches; change++) {
      await scene.router.setTable(withLane);
      expect(await said(keyed)).toBe('candidate a');
      await scene.router.setTable(idle);
      expect(await said()).toBe('baseline a');
    }
    isOver = true;
    await loads;
  }, 600_000);
});
