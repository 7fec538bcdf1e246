import { once } from 'node:events';
import { Agent, get, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { freePort } from '../../../tests/harness/free-ports.ts';
import { until } from '../../../tests/harness/until.ts';
import { Scene } from '../scene.fixture.ts';
import type { RouteTable } from '../table/table.ts';

let scene: Scene;
let idle: RouteTable;
let withLane: RouteTable;
/** A service that answers with bytes of the test. */
let raw: Server;
const dialled: Socket[] = [];
const doors = { prices: 0, raw: 0, nobody: 0 };
const keyed = { baggage: 'surety-lane=k1' };

beforeAll(async () => {
  scene = await Scene.open();
  for (const name of Object.keys(doors) as (keyof typeof doors)[]) doors[name] = await freePort();
  raw = createServer().listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const serve = (name: string): Promise<number> =>
    scene.serve(async (incoming, response) => {
      const body = await text(incoming);
      response.setHeader('x-peer', String(incoming.socket.remotePort));
      response.end(`${name} ${incoming.method} ${incoming.url} ${body}`);
    });
  const services = {
    edge: { port: 1 },
    prices: { port: await serve('baseline') },
    raw: { port: (raw.address() as AddressInfo).port },
    nobody: { port: await freePort() },
  };
  idle = {
    ingress: 'edge',
    header: 'x-lane',
    services,
    doors: Object.entries(doors).map(([to, port]) => ({ port, from: 'edge', to })),
    lanes: {},
  };
  const overrides = { prices: { port: await serve('candidate'), instance: 'prices/lane_1/a' } };
  withLane = { ...idle, lanes: { k1: { lane: 'lane_1', overrides } } };
});
beforeEach(() => scene.router.setTable(idle));
afterEach(() => {
  for (const socket of dialled.splice(0)) socket.destroy();
});
afterAll(async () => {
  raw.close();
  await scene[Symbol.asyncDispose]();
});

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  dialled.push(socket);
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

interface Answer {
  readonly status: number;
  readonly said: string;
  readonly headers: IncomingHttpHeaders;
}

async function ask(agent: Agent, headers = {}, method = 'GET', body = ''): Promise<Answer> {
  const call = request({
    port: doors.prices,
    host: '127.0.0.1',
    path: '/a',
    method,
    headers,
    agent,
  });
  call.end(body);
  const [answer] = await once(call, 'response');
  return { status: answer.statusCode, said: await text(answer), headers: answer.headers };
}

function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 });
}

describe('a door while no lane is open', () => {
  test('passes the bytes of both sides on as they are', async () => {
    const [sent, answered] = [
      'POST /a HTTP/1.1\r\nHOST: raw\r\nKeep-Alive: 7\r\nX-Odd:  a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=1\r\nabc\r\n0\r\nx-t: 1\r\n\r\n',
      'HTTP/1.1 200 Fine\r\nKEEP-alive: timeout=3\r\nContent-Length: 2\r\n\r\nok',
    ];
    const accepted = once(raw, 'connection');
    const caller = await dial(doors.raw);
    const got: string[] = [];
    caller.on('data', (piece) => got.push(String(piece)));
    caller.write(sent.slice(0, 150));
    const [service] = (await accepted) as [Socket];
    const received: string[] = [];
    service.on('data', (piece) => received.push(String(piece)));
    caller.write(sent.slice(150));
    await until('the request is there', () => received.join('') === sent);
    for (const piece of [answered.slice(0, 10), answered.slice(10)]) {
      service.write(piece);
      await until('the piece is there', () => got.join('').endsWith(piece));
    }
    expect(got.join('')).toBe(answered);
    service.destroy();
  });

  // proves: lanes.fail-closed
  test.each<[string, Record<string, string>]>([
    ['baggage', keyed],
    ['the header of the table', { 'X-Lane': 'k1' }],
  ])('refuses a key in %s on a connection that was passed through', async (_, headers) => {
    const agent = oneConnection();
    expect(await ask(agent)).toMatchObject({ status: 200, said: 'baseline GET /a ' });
    expect(await ask(agent, headers)).toMatchObject({
      status: 503,
      said: expect.stringContaining('LANE_UNKNOWN'),
    });
    agent.destroy();
  });

  test('passes nothing through that an instance of an ended lane sends', async () => {
    const port = await freePort();
    const own = { port, from: 'edge', to: 'prices', lane: 'k1' };
    await scene.router.setTable({ ...idle, doors: [...(idle.doors ?? []), own] });
    const [answer] = await once(get({ port, host: '127.0.0.1' }), 'response');
    expect([answer.statusCode, await text(answer)]).toEqual([
      503,
      expect.stringContaining('LANE_UNKNOWN'),
    ]);
  });

  test('answers requests that were sent without waiting, in their order', async () => {
    const caller = await dial(doors.prices);
    const line = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const last = line('/3', 'Connection: close\r\n');
    caller.write(`${line('/1')}${line('/2', 'baggage: surety-lane=k1\r\n')}${last}`);
    const said = await text(caller);
    const parts = ['baseline GET /1', 'LANE_UNKNOWN', 'baseline GET /3'];
    expect(parts.map((part) => said.indexOf(part))).toEqual(
      parts.map((part) => said.indexOf(part)).toSorted((one, other) => one - other),
    );
    expect(said.match(/HTTP\/1\.1 (?:200|503)/g)).toHaveLength(3);
  });

  test('connects again when the service has closed the connection in between', async () => {
    const agent = oneConnection();
    const first = await ask(agent);
    scene.serverOn(idle.services.prices?.port as number).closeIdleConnections();
    const second = await ask(agent, {}, 'POST', 'x'.repeat(100_000));
    expect(second.said).toBe(`baseline POST /a ${'x'.repeat(100_000)}`);
    expect(second.headers['x-peer']).not.toBe(first.headers['x-peer']);
    agent.destroy();
  });

  test('says that a service is not there', async () => {
    const [answer] = await once(get({ port: doors.nobody, host: '127.0.0.1' }), 'response');
    expect([answer.statusCode, await text(answer)]).toEqual([
      502,
      expect.stringContaining('TARGET_UNREACHABLE'),
    ]);
  });

  test('breaks an answer off when the service does', async () => {
    raw.once('connection', (service: Socket) => {
      service.on('data', () => {
        service.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
        setImmediate(() => service.resetAndDestroy());
      });
    });
    const [answer] = await once(get({ port: doors.raw, host: '127.0.0.1' }), 'response');
    await expect(text(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('tells the service when the caller leaves', async () => {
    const accepted = once(raw, 'connection');
    const caller = await dial(doors.raw);
    caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [service] = (await accepted) as [Socket];
    await once(service, 'data');
    const ended = once(service, 'end');
    caller.destroy();
    await ended;
    service.destroy();
  });
});

describe('a door when a lane opens and closes', () => {
  // proves: lanes.unkeyed
  test('changes on connections that are open, with the next request', async () => {
    const agent = oneConnection();
    const passed = await ask(agent);
    // The service's own, which the router would not pass on.
    expect(passed.headers).toHaveProperty('keep-alive');
    await scene.router.setTable(withLane);
    expect((await ask(agent, keyed)).said).toBe('candidate GET /a ');
    expect((await ask(agent)).said).toBe('baseline GET /a ');
    await scene.router.setTable(idle);
    expect((await ask(agent, keyed)).status).toBe(503);
    await expect.poll(async () => (await ask(agent)).headers).toHaveProperty('keep-alive');
    agent.destroy();
  });

  const switches = runs(5, 500);

  test(`loses no request over ${switches} changes under load`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 5 });
    let [isOver, asked] = [false, 0];
    const load = async (): Promise<void> => {
      while (!isOver) {
        const number = asked++;
        const [method, body] = number % 3 === 0 ? ['POST', `${number}`] : ['GET', ''];
        const answer = await ask(agent, {}, method, body);
        expect(answer).toMatchObject({ status: 200, said: `baseline ${method} /a ${body}` });
      }
    };
    const loads = Promise.all(Array.from({ length: 4 }, load));
    for (let change = 0; change < switches; change++) {
      await scene.router.setTable(withLane);
      expect((await ask(agent, keyed)).said).toBe('candidate GET /a ');
      await scene.router.setTable(idle);
      expect((await ask(agent)).said).toBe('baseline GET /a ');
    }
    isOver = true;
    await loads;
    agent.destroy();
  }, 600_000);
});
