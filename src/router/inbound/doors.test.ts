import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../../tests/harness/free-ports.ts';
import { newTraceparent, traceTag } from '../routing/trace-tag.ts';
import { Scene } from '../scene.fixture.ts';
import type { RouteTable } from '../table/table.ts';

const secret = 'ab'.repeat(32);
const tagged = (trace: string, by = secret): string => newTraceparent(traceTag(by, trace));

let scene: Scene;
let table: RouteTable;
/** The headers of the latest request, by who got it. */
const got = new Map<string, IncomingHttpHeaders>();
const doors = { front: 0, prices: 0, own: 0 };

beforeAll(async () => {
  scene = await Scene.open();
  const serve = (name: string): Promise<number> =>
    scene.serve((request, response) => {
      got.set(name, request.headers);
      response.setHeader('x-own', '1');
      response.end(name);
    });
  for (const name of Object.keys(doors) as (keyof typeof doors)[]) doors[name] = await freePort();
  const candidate = await serve('candidate');
  table = {
    ingress: 'edge',
    header: 'x-lane',
    traceSecret: secret,
    services: { edge: { port: await serve('edge') }, prices: { port: await serve('prices') } },
    doors: [
      { port: doors.front, from: null, to: 'edge' },
      { port: doors.prices, from: 'edge', to: 'prices' },
      { port: doors.own, from: 'edge', to: 'prices', lane: 'k1' },
    ],
    lanes: {
      k1: {
        lane: 'lane_1',
        overrides: { prices: { port: candidate, instance: 'prices/lane_1/a' } },
        trace: '0000002a',
      },
    },
  };
});
beforeEach(async () => {
  await scene.router.setTable(table);
  await scene.router.forget('k1');
});
afterAll(() => scene[Symbol.asyncDispose]());

async function ask(port: number, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${port}/a`, { headers });
  return { status: answer.status, said: await answer.text(), headers: answer.headers };
}

// proves: lanes.unkeyed
describe('a door', () => {
  test('of an instance of a lane makes all of its calls the lane’s', async () => {
    expect(await ask(doors.own)).toMatchObject({ said: 'candidate' });
    expect(got.get('candidate')).toMatchObject({ baggage: 'surety-lane=k1' });
    await ask(doors.own, { baggage: 'surety-lane=k1' });
    const { hops } = await scene.router.hops('k1');
    expect(hops.map(({ from, to, own }) => [from, to, own])).toEqual([
      ['edge', 'prices', true],
      ['edge', 'prices', undefined],
    ]);
    const dead = await ask(doors.own, { baggage: 'surety-lane=gone' });
    expect(dead.status).toBe(503);
  });

  test('sends requests without a key to the baseline, unchanged', async () => {
    const { status, said, headers } = await ask(doors.prices, { 'x-surety-to': 'edge:80' });
    expect([status, said, headers.get('x-own')]).toEqual([200, 'prices', '1']);
    expect([...headers.keys()].filter((name) => name.startsWith('x-surety'))).toEqual([]);
    expect(got.get('prices')).not.toHaveProperty('traceparent');
    expect(got.get('prices')).not.toHaveProperty('baggage');
    expect(await scene.router.hops('k1')).toMatchObject({ hops: [] });
  });

  test.each<[string, Record<string, string>]>([
    ['baggage', { baggage: 'surety-lane=k1' }],
    ['tracestate', { tracestate: 'surety=k1' }],
    ['the header of the table', { 'x-lane': 'k1' }],
    ['baggage with the number of its lane', { baggage: 'surety-lane=trace-0000002a' }],
  ])('sends requests with a key in %s to the candidate', async (_, headers) => {
    expect(await ask(doors.prices, headers)).toMatchObject({ status: 200, said: 'candidate' });
    expect(got.get('candidate')?.baggage).toBe('surety-lane=k1');
    const [hop] = await scene.hops('k1', 1);
    expect(hop).toMatchObject({ key: 'k1', from: 'edge', to: 'prices', recovered: false });
  });

  test("for outside traffic leads to the ingress and ignores the caller's name in a header", async () => {
    const { said, headers } = await ask(doors.front, {
      baggage: 'surety-lane=k1',
      'x-surety-from': 'liar',
    });
    expect([said, headers.get('x-surety-lane')]).toEqual(['edge', 'lane_1']);
    expect(await scene.hops('k1', 1)).toMatchObject([{ from: null, instance: 'baseline' }]);
  });

  // proves: lanes.fail-closed
  test.each<[string, Record<string, string>, string]>([
    ['unknown', { baggage: 'surety-lane=nobody' }, 'unknown'],
    ['contradictory', { baggage: 'surety-lane=k1', tracestate: 'surety=k2' }, 'contradict'],
    ['contradictory in the header', { baggage: 'surety-lane=k1', 'x-lane': 'k2' }, 'contradict'],
    ['malformed', { baggage: 'surety-lane=' }, 'letters'],
    ['of an unknown number', { baggage: 'surety-lane=trace-0000002b' }, 'unknown'],
    ['of an ended lane, by its trace id', { traceparent: tagged('0000002b') }, 'has ended'],
    [
      'of two lanes, by their trace ids',
      { traceparent: `${tagged('0000002a')}, ${tagged('0000002b')}` },
      'several lanes',
    ],
  ])('refuses a key that is %s', async (_, headers, reason) => {
    for (const port of Object.values(doors)) {
      const { status, said } = await ask(port, headers);
      expect([status, JSON.parse(said)]).toMatchObject([
        503,
        { fault: { code: 'LANE_UNKNOWN', message: expect.stringContaining(reason) } },
      ]);
    }
  });

  test('closes when the table no longer names it', async () => {
    expect((await ask(doors.prices)).said).toBe('prices');
    await scene.router.setTable({ ...table, doors: [] });
    await expect(ask(doors.prices)).rejects.toThrow();
  });

  test('that cannot be opened leaves the old table in force', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const late = await freePort();
    const more = [late, port].map((one) => ({ port: one, from: null, to: 'edge' }));
    await expect(scene.router.setTable({ ...table, doors: more })).rejects.toMatchObject({
      code: 'ROUTER_PORT_TAKEN',
      message: expect.stringContaining(String(port)),
    });
    other.close();
    expect(await scene.router.table()).toEqual(table);
    expect((await ask(doors.prices)).said).toBe('prices');
    await expect(ask(late)).rejects.toThrow();
  });
});

// proves: lanes.trace-id
describe('a request that lost its key', () => {
  test('recovers it from its trace id, at a door and at the router', async () => {
    const traceparent = tagged('0000002a');
    const headers = { traceparent, baggage: 'user=1', tracestate: 'vendor=2' };
    for (const [port, more] of [
      [doors.prices, {}],
      [scene.port, { 'x-surety-to': 'prices:80', 'x-surety-from': 'edge' }],
    ] as const) {
      expect((await ask(port, { ...headers, ...more })).said).toBe('candidate');
      expect(got.get('candidate')).toMatchObject({
        traceparent,
        baggage: 'surety-lane=k1,user=1',
        tracestate: 'surety=k1,vendor=2',
      });
    }
    const traceId = traceparent.slice(3, 35);
    expect(await scene.hops('k1', 2)).toMatchObject([
      { from: 'edge', to: 'prices', recovered: true, traceId, instance: 'prices/lane_1/a' },
      { from: 'edge', to: 'prices', recovered: true, traceId },
    ]);
  });

  test('belongs to no lane when the tag has a foreign signature', async () => {
    const traceparent = tagged('0000002a', 'cd'.repeat(32));
    expect((await ask(doors.prices, { traceparent })).said).toBe('prices');
    expect((await ask(scene.port, { traceparent })).status).toBe(503);
  });

  test('keeps an explicit key that differs from the trace id', async () => {
    const traceparent = tagged('0000002b');
    const { said } = await ask(doors.prices, { traceparent, baggage: 'surety-lane=k1' });
    expect(said).toBe('candidate');
  });

  test('can recover it, because the router adds a tagged trace id unless the caller has one', async () => {
    await ask(doors.prices, { baggage: 'surety-lane=k1' });
    const made = got.get('candidate')?.traceparent as string;
    expect(made).toContain(`00-${traceTag(secret, '0000002a')}`);
    expect((await ask(doors.prices, { traceparent: made })).said).toBe('candidate');
    const own = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    await ask(doors.prices, { baggage: 'surety-lane=k1', traceparent: own });
    expect(got.get('candidate')?.traceparent).toBe(own);
    // A program that passes on only its trace keeps the key then, too.
    const tracestate = got.get('candidate')?.tracestate as string;
    expect(tracestate).toBe('surety=k1');
    expect((await ask(doors.prices, { traceparent: own, tracestate })).said).toBe('candidate');
  });

  test('and bypassed the router is reported by the service that received it', async () => {
    const report = {
      'x-surety-report': 'escape',
      baggage: 'surety-lane=trace-0000002a',
      'x-surety-at': 'prices',
      'x-surety-instance': 'prices/baseline/1',
      'x-surety-method': 'GET',
      'x-surety-path': '/list',
    };
    const send = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${scene.port}/`, { method: 'POST', headers });
    expect((await send(report)).status).toBe(204);
    expect(await scene.hops('k1', 1)).toMatchObject([
      {
        key: 'k1',
        escaped: true,
        from: null,
        to: 'prices',
        served: 'prices/baseline/1',
        method: 'GET',
        path: '/list',
      },
    ]);
    expect((await send({ ...report, 'x-surety-at': 'nobody' })).status).toBe(400);
    expect((await send({ ...report, 'x-surety-report': 'other' })).status).toBe(400);
    expect((await send({ ...report, baggage: 'surety-lane=nobody' })).status).toBe(503);
    expect((await scene.router.hops('k1')).hops).toHaveLength(1);
  });

  test('and kept its key past the router is recorded if the lane has another instance', async () => {
    const send = (at: string, instance: string) =>
      fetch(`http://127.0.0.1:${scene.port}/`, {
        method: 'POST',
        headers: {
          'x-surety-report': 'escape',
          'x-surety-if-changed': '1',
          baggage: 'surety-lane=k1',
          'x-surety-at': at,
          'x-surety-instance': instance,
        },
      });
    const { prices } = table.lanes?.k1?.overrides ?? {};
    const right = [
      await send('edge', 'edge/baseline/1'),
      await send('prices', `${prices?.instance}`),
    ];
    expect(right.map(({ headers }) => headers.get('x-surety-changed'))).toEqual(['no', 'no']);
    const wrong = await send('prices', 'prices/baseline/1');
    expect([wrong.status, wrong.headers.get('x-surety-changed')]).toEqual([204, null]);
    expect(await scene.hops('k1', 1)).toMatchObject([{ to: 'prices', escaped: true }]);
  });

  test.each(['k1', 'trace-0000002a'])(
    'and bypassed the router is reported under %s while the hops of its ended lane are kept',
    async (key) => {
      const report = {
        'x-surety-report': 'escape',
        baggage: `surety-lane=${key}`,
        'x-surety-at': 'prices',
        'x-surety-from': 'edge',
        'x-surety-method': 'timer',
        'x-surety-path': 'late',
      };
      const send = (headers: Record<string, string>) =>
        fetch(`http://127.0.0.1:${scene.port}/`, { method: 'POST', headers });
      await ask(doors.prices, { baggage: 'surety-lane=k1' });
      await scene.hops('k1', 1);
      await scene.router.setTable({ ...table, lanes: {} });
      expect((await send(report)).status).toBe(204);
      expect(await scene.hops('k1', 2)).toMatchObject([
        { escaped: false },
        { key: 'k1', escaped: true, from: 'edge', method: 'timer', path: 'late' },
      ]);
      // Nothing of an ended lane is consumed, and it comes to nothing new.
      expect((await send({ ...report, 'x-surety-report': 'consumer' })).status).toBe(503);
      await scene.router.forget('k1');
      expect((await send(report)).status).toBe(503);
      expect((await scene.router.hops('k1')).hops).toEqual([]);
    },
  );

  test('and bypassed the router is reported even when its lane has ended', async () => {
    await scene.router.setTable({ ...table, lanes: {} });
    const report = {
      'x-surety-report': 'escape',
      baggage: 'surety-lane=k1',
      'x-surety-at': 'edge',
      'x-surety-method': 'timer',
      'x-surety-path': 'own',
    };
    const answer = await fetch(`http://127.0.0.1:${scene.port}/`, {
      method: 'POST',
      headers: report,
    });
    expect(answer.status).toBe(204);
    expect(await scene.hops('k1', 1)).toMatchObject([{ to: 'edge', escaped: true }]);
  });

  test('and went to a bare address is reported if a service has that address', async () => {
    const send = (to: string) =>
      fetch(`http://127.0.0.1:${scene.port}/`, {
        method: 'POST',
        headers: {
          'x-surety-report': 'escape',
          baggage: 'surety-lane=k1',
          'x-surety-at': 'edge',
          'x-surety-from': 'edge',
          'x-surety-instance': 'edge/baseline/1',
          'x-surety-to': to,
          'x-surety-method': 'timer',
          'x-surety-path': 'own',
        },
      });
    const { port } = table.services.prices as { port: number };
    for (const to of ['127.0.0.1:1', 'db.internal:5432']) expect((await send(to)).status).toBe(204);
    expect((await send('nowhere')).status).toBe(400);
    expect((await scene.router.hops('k1')).hops).toEqual([]);
    for (const to of [`127.0.0.1:${port}`, `localhost:${port}`]) await send(to);
    const told = { from: 'edge', to: 'prices', instance: 'baseline', served: null, escaped: true };
    expect(await scene.hops('k1', 2)).toMatchObject([told, told]);
  });
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython && process.env.CI) throw new Error('CI needs python3');

describe.runIf(hasPython)('a Python service without any package', () => {
  /** Listens on a port of its own and calls `prices` by its door. */
  async function start(handedOn: string): Promise<number> {
    const program = fileURLToPath(new URL('../fixtures/relay.py', import.meta.url));
    const environment = {
      NEXT: `http://127.0.0.1:${doors.prices}`,
      HANDED_ON: handedOn,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    const child = scene.spawn([program], environment, 'python3');
    const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
    const port = Number(line);
    const services = { ...table.services, edge: { port } };
    await scene.router.setTable({ ...table, services });
    return port;
  }

  test('that forwards baggage reaches the candidate with a key, and the baseline without one', async () => {
    const port = await start('baggage');
    const keyed = await ask(scene.port, { baggage: 'surety-lane=k1' });
    expect(keyed.said).toBe('python candidate');
    expect((await ask(port)).said).toBe('python prices');
    expect(await scene.hops('k1', 2)).toMatchObject([
      { from: 'edge', to: 'prices', instance: 'prices/lane_1/a', recovered: false },
      { from: null, to: 'edge', instance: 'baseline' },
    ]);
  });

  test('that forwards only the trace context is named as the one that dropped the key', async () => {
    await start('traceparent');
    expect((await ask(scene.port, { baggage: 'surety-lane=k1' })).said).toBe('python candidate');
    expect(await scene.hops('k1', 2)).toMatchObject([
      { from: 'edge', to: 'prices', recovered: true },
      { from: null, to: 'edge', recovered: false },
    ]);
  });
});
