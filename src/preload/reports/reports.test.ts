import { once } from 'node:events';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { isDeep } from '../../../tests/harness/deep.ts';
import { until } from '../../../tests/harness/until.ts';
import { findOldNode, serviceNodes } from '../old-node.fixture.ts';
import { Peer } from '../peer.fixture.ts';
import { type ReceivedSpan, Receiver } from '../receiver.fixture.ts';
import { Service, type ServiceOptions } from '../service.fixture.ts';

const nodes = isDeep ? serviceNodes : [process.execPath];
const parent = { trace: 'abcdef0123456789abcdef0123456789', span: '0123456789abcdef' };
const traceparent = (flags: string): string => `00-${parent.trace}-${parent.span}-${flags}`;

describe.each(nodes)('a service on %s that reports', (node) => {
  let receiver: Receiver;
  let service: Service;

  beforeAll(async () => {
    receiver = await Receiver.open();
    const tag = { service: 'orders', instance: 'orders/lane_1/x', lane: 'lane_1' };
    const file = 'reports-service.cjs';
    service = await Service.start({ node, file, tag: { ...tag, telemetry: receiver.address } });
  });

  afterAll(async () => {
    for (const one of [service, receiver]) await one?.[Symbol.asyncDispose]();
  });

  const spanOf = (name: string): Promise<ReceivedSpan> =>
    until(`${name} is reported`, () => {
      const at = receiver.spans.findIndex((span) => span.name === name);
      return at < 0 ? undefined : receiver.spans.splice(at, 1)[0];
    });

  test('reports the route, status, size, time and ids of a request', async () => {
    const before = BigInt(Date.now()) * 1_000_000n;
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r-1' };
    await service.ask('/orders', undefined, { method: 'POST', body: '{"a":"b"}', headers });
    const span = await spanOf('POST /orders/');
    expect(span).toMatchObject({ kind: 'server', parentSpanId: '', failure: undefined });
    expect(span.values).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/orders/',
      'http.response.status_code': 201,
      'http.request.body.size': 9,
      'http.response.body.size': 9,
      'surety.calls': 0,
      'surety.request_id': 'r-1',
    });
    expect(span.resource).toMatchObject({
      'service.name': 'orders',
      'service.instance.id': 'orders/lane_1/x',
      'surety.lane': 'lane_1',
    });
    // Clocks of two processes agree to a millisecond at best.
    expect(span.startNs).toBeGreaterThan(before - 100_000_000n);
    expect(span.endNs).toBeGreaterThanOrEqual(span.startNs);
    expect(span.endNs).toBeLessThan(BigInt(Date.now() + 100) * 1_000_000n);
    expect(`${span.traceId} ${span.spanId}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{16}$/);
  });

  test('reports the CPU time of a request that ran alone, even a short one', async () => {
    for (let count = 0; count < 10; count++) {
      await service.ask('/busy?micros=1000');
      const { values } = await spanOf('GET /busy');
      // Other threads of the process may have taken some of it.
      expect(values['surety.cpu_us']).toBeGreaterThan(400);
      expect(values).not.toHaveProperty('surety.cpu_shared');
    }
  });

  test('divides CPU time among concurrent requests, and reports that it is shared', async () => {
    const hanging = await service.ask('/hanging');
    await service.ask('/busy?micros=20000');
    const { values } = await spanOf('GET /busy');
    expect(values['surety.cpu_us']).toBeGreaterThan(5_000);
    expect(values['surety.cpu_us']).toBeLessThan(18_000);
    expect(values['surety.cpu_shared']).toBe('true');
    await hanging.body?.cancel();
    expect((await spanOf('GET /hanging')).values['surety.client_gone']).toBe('true');
  });

  test('continues the trace of its caller', async () => {
    await service.ask('/orders/7', undefined, { headers: { traceparent: traceparent('01') } });
    const { traceId, parentSpanId } = await spanOf('GET /orders/:id');
    expect([traceId, parentSpanId]).toEqual([parent.trace, parent.span]);
    for (const bad of ['', 'nonsense', traceparent('01').toUpperCase(), `00-${'0'.repeat(32)}`]) {
      await service.ask('/orders/7', undefined, { headers: { traceparent: bad } });
      const { traceId: own, parentSpanId: none } = await spanOf('GET /orders/:id');
      expect([bad, none]).toEqual([bad, '']);
      expect(own).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
    }
  });

  test('says why a request failed', async () => {
    await service.ask('/broken');
    expect(await spanOf('GET /broken')).toMatchObject({
      failure: 'TypeError: no price for 7',
      values: { 'http.response.status_code': 500 },
    });
  });

  test.each(['koa', 'fastify'])('knows the routes of %s, and why one failed', async (name) => {
    const answer = (await (await service.ask(`/${name}/orders/first`)).json()) as object;
    // What a router wrote for the application is still there for it.
    const route = `/${name}/orders/:order`;
    expect(answer).toEqual({ order: 'first', ...(name === 'koa' ? { route } : {}) });
    expect((await spanOf(`GET ${route}`)).values['http.route']).toBe(route);
    await service.ask(`/${name}/broken/first`);
    const { failure, values } = await spanOf(`GET /${name}/broken/:order`);
    expect(failure?.toLowerCase()).toBe(`typeerror: no price in ${name}`);
    expect(values['http.response.status_code']).toBe(500);
    await service.ask(`/${name}/nothing/7`);
    const lost = await spanOf(`GET /${name}/nothing/:id`);
    expect(lost.values['http.response.status_code']).toBe(404);
  });

  test('removes the ids from a path that no framework knows', async () => {
    await service.ask('/none/42/of/0190b5a0-7c1e-7000-8000-000000000000?secret=1');
    const { values } = await spanOf('GET /none/:id/of/:id');
    expect(values['http.response.status_code']).toBe(404);
    expect(JSON.stringify(values)).not.toContain('secret');
  });

  test('reports a WebSocket when it is open', async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/live`);
    await once(socket, 'message');
    const { values } = await spanOf('GET /live');
    expect(values['http.response.status_code']).toBe(101);
    socket.terminate();
  });

  test('reports no status for a request whose client has left', async () => {
    const left = get({ port: service.port, path: '/silent' }).on('error', () => {});
    await until('it is there', async () => (await service.ask('/waiting')).json());
    left.destroy();
    const { values } = await spanOf('GET /silent');
    expect(values['surety.client_gone']).toBe('true');
    expect(values).not.toHaveProperty('http.response.status_code');
  });

  test('reports the state of the process', async () => {
    const names = ['process.memory.usage', 'process.cpu.time', 'nodejs.eventloop.utilization'];
    await until('metrics are there', () =>
      names.every((name) => receiver.points.some((point) => point.name === name)),
    );
    const memory = receiver.points.find(({ name }) => name === 'process.memory.usage');
    expect(memory).toMatchObject({ unit: 'By' });
    expect(memory?.value).toBeGreaterThan(10_000_000);
    const dropped = receiver.points.filter(({ name }) => name === 'surety.reports.dropped');
    expect(dropped.map(({ values, value }) => [values.signal, value])).toEqual(
      expect.arrayContaining([
        ['spans', 0],
        ['logs', 0],
      ]),
    );
    const failures = receiver.points.find(({ name }) => name === 'surety.reports.failures');
    expect(failures?.value).toBe(0);
  });

  test('reports how often and how long garbage was collected', async () => {
    const collected = (): number =>
      receiver.points.findLast(({ values }) => values['v8js.gc.type'] === 'minor')?.count ?? 0;
    await until('it looked', () => receiver.points.some(({ name }) => name === 'v8js.gc.duration'));
    await until('it was collected', async () => {
      await service.ask('/garbage');
      return collected() > 0;
    });
    const told = receiver.points.findLast(({ values }) => values['v8js.gc.type'] === 'minor');
    expect(told).toMatchObject({ name: 'v8js.gc.duration', unit: 's' });
    expect(told?.value).toBeGreaterThan(0);
  });

  test('reports how long it waited for connections of a pool, even in vain', async () => {
    const whys = (await (await service.ask('/pool')).json()) as string[];
    expect(whys.join()).toMatch(/timeout.*timeout.*timeout/);
    const wait = await until('all three are told', () =>
      receiver.points.findLast(
        ({ name, count }) => name.endsWith('connection.wait_time') && count === 3,
      ),
    );
    expect(wait).toMatchObject({ unit: 's' });
    expect(wait?.value).toBeGreaterThan(0.25);
  });

  test('reports the answer of a request that the process survived', async () => {
    const surviving = service.ask('/surviving');
    await service.ask('/orders/7');
    // With this one, all that was over before has been told.
    await spanOf('GET /orders/:id');
    await until('it answers', async () => (await service.ask('/survived')).json());
    expect((await surviving).status).toBe(503);
    expect(await spanOf('GET /surviving')).toMatchObject({
      failure: 'RangeError: not the end',
      values: { 'http.response.status_code': 503 },
    });
  });

  test.each([
    ['crashed on', '/dying', 'RangeError: the end'],
    ['exited during', '/leaving', 'RangeError: a last word'],
  ])('reports a request that the process %s', async (_, path, failure) => {
    await using dying = await Service.start({
      node,
      file: 'reports-service.cjs',
      tag: { telemetry: receiver.address },
      isQuiet: true,
    });
    await dying.ask('/orders/1');
    await spanOf('GET /orders/:id');
    await expect(dying.ask(path)).rejects.toThrow();
    expect((await spanOf(`GET ${path}`)).failure).toBe(failure);
  });
});

const variants: [string, ServiceOptions][] = [
  ['CommonJS', { file: 'protocol-service.cjs' }],
  ['ES modules', { file: 'protocol-service.mjs' }],
  ['an old Node', { file: 'protocol-service.cjs', node: findOldNode() ?? process.execPath }],
];

describe.each(variants)('calls of a service in %s', (_, variant) => {
  let receiver: Receiver;
  let router: Peer;
  let baseline: Peer;
  let service: Service;

  beforeAll(async () => {
    receiver = await Receiver.open();
    router = await Peer.open('router');
    baseline = await Peer.open('baseline');
    const tag = { router: router.address, telemetry: receiver.address };
    service = await Service.start({ ...variant, tag });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline, receiver]) await one?.[Symbol.asyncDispose]();
  });

  const call = async (way: string, headers: Record<string, string>): Promise<string> =>
    (
      await service.ask(`/call/${way}?to=${baseline.address}&path=/path`, undefined, { headers })
    ).text();

  test.each([undefined, 'key-1'])(
    'are reported, with key %s, in whatever way they are made',
    async (key) => {
      const ways = (await (await service.ask('/ways')).json()) as string[];
      const [met, name] = key ? [router, 'router'] : [baseline, 'baseline'];
      const baggage = key ? { baggage: `surety-lane=${key}` } : {};
      met.take();
      // Reports come four times a second: all calls are made before anybody waits for one.
      const made: [way: string, trace: string, told: unknown][] = [];
      for (const [number, way] of ways.entries()) {
        const trace = `${parent.trace.slice(3)}${key ? 1 : 0}${10 + number}`;
        const sent = { ...baggage, traceparent: `00-${trace}-${parent.span}-00` };
        expect([way, await call(way, sent)]).toEqual([way, name]);
        made.push([way, trace, met.take()[0]?.headers.traceparent]);
      }
      for (const [way, trace, told] of made) {
        const spans = await until(`${way} is reported`, () => {
          const found = ['server', 'client'].map((kind) =>
            receiver.spans.find((one) => one.kind === kind && one.traceId === trace),
          );
          return found.every(Boolean) && (found as ReceivedSpan[]);
        });
        const [server, client] = spans as [ReceivedSpan, ReceivedSpan];
        expect([way, client.parentSpanId]).toEqual([way, server.spanId]);
        expect([way, server.values['surety.calls']]).toEqual([way, 1]);
        expect([way, client.values['http.route']]).toEqual([way, '/path']);
        expect([way, server.values['surety.lane'], client.values['surety.lane']]).toEqual([
          way,
          key,
          key,
        ]);
        const { 'server.address': host, 'server.port': port } = client.values;
        expect([way, `${host}:${port}`]).toEqual([way, baseline.address]);
        expect([way, told]).toEqual([way, `00-${trace}-${client.spanId}-00`]);
      }
    },
  );
});
