import { request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedLimits, socketPlace } from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { Scene } from '../scene.fixture.ts';
import type { RouteTable } from '../table/table.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** The control socket, without the manners of the client. */
async function ask(
  method: string,
  path: string,
  body?: string,
): Promise<{ status: number | undefined; value: Record<string, unknown> }> {
  const socketPath = socketPlace(scene.directory, 'router').path;
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  send({ socketPath, method, path, agent: false }, resolve).on('error', reject).end(body);
  const answer = await promise;
  return { status: answer.statusCode, value: JSON.parse(await text(answer)) };
}

const table: RouteTable = {
  ingress: 'edge',
  services: { edge: { port: 4_300, scheme: 'https' }, pricing: { port: 4_302 } },
  lanes: { k1: { lane: 'lane_1', overrides: { pricing: { port: 5_000, instance: 'p/1' } } } },
};

describe('the routing table', () => {
  test('is empty at first, then holds what was set', async () => {
    await using fresh = await Scene.open();
    expect(await fresh.router.table()).toEqual({ ingress: '', services: {}, lanes: {} });
    await fresh.router.setTable(table);
    expect(await fresh.router.table()).toEqual(table);
  });

  test('stays in force when a new one is refused', async () => {
    await scene.router.setTable(table);
    const broken = { ...table, ingress: 'front' };
    await expect(scene.router.setTable(broken)).rejects.toMatchObject({
      code: 'ROUTER_REQUEST_INVALID',
      message: 'Invalid request to the router: ingress names no service: front.',
    });
    expect(await scene.router.table()).toEqual(table);
  });

  test.each([
    ['is not JSON', '{', 400, 'JSON_INVALID'],
    ['has a key twice', '{"ingress":"","ingress":"a"}', 400, 'JSON_INVALID'],
    ['is empty', '', 400, 'JSON_INVALID'],
    ['is a number', '1', 400, 'ROUTER_REQUEST_INVALID'],
  ])('that %s is refused', async (_, body, status, code) => {
    expect(await ask('PUT', '/table', body)).toMatchObject({ status, value: { fault: { code } } });
  });

  test('has a limited size', async () => {
    const body = JSON.stringify(table);
    const longest = body.padEnd(routerLimits.routerTableBytesMax);
    expect(await ask('PUT', '/table', longest)).toEqual({ status: 200, value: { lanes: 1 } });
    expect(await ask('PUT', '/table', `${longest} `)).toMatchObject({
      status: 413,
      value: { fault: { code: 'REQUEST_TOO_LARGE' } },
    });
  });
});

describe('the control API', () => {
  test.each([
    ['POST', '/table'],
    ['GET', '/nothing'],
    ['GET', '/constructor'],
    ['DELETE', '/table'],
    ['GET', '/hops'],
    ['GET', '/hops?lane=a%20b'],
    ['GET', '/hops?lane=k1&after=-1'],
    ['GET', '/hops?lane=k1&after=x'],
    ['DELETE', '/hops'],
  ])('refuses %s %s', async (method, path) => {
    expect(await ask(method, path)).toMatchObject({
      status: 400,
      value: { fault: { code: 'ROUTER_REQUEST_INVALID', remedy: expect.any(String) } },
    });
  });

  test('returns no hops for an unknown lane', async () => {
    expect(await ask('GET', '/hops?lane=nobody&after=7')).toEqual({
      status: 200,
      value: { hops: [], last: 7 },
    });
    expect(await ask('DELETE', '/hops?lane=nobody')).toEqual({ status: 200, value: {} });
  });
});

describe('hops', () => {
  const json = { 'content-type': 'application/json; charset=utf-8' };

  async function post(path: string, body: string, headers: Record<string, string> = json) {
    const all = { baggage: 'surety-lane=k1', 'x-request-id': 'r-1', ...headers };
    const url = `http://127.0.0.1:${scene.port}${path}`;
    await (await fetch(url, { method: 'POST', body, headers: all })).text();
  }

  async function lastHop(path: string) {
    const hops = await scene.hops('k1', 1);
    return hops.find((hop) => hop.path === path);
  }

  beforeAll(async () => {
    const port = await scene.serve(async (request, response) => {
      const type = request.headers['content-type'] ?? '';
      response.writeHead(201, { 'content-type': type, 'x-surety-served': 'edge/baseline/7' });
      response.end(await text(request));
    });
    await scene.routeTo(port, { services: { edge: { port }, pricing: { port: port - 1 } } });
  });

  test('hold every detail of a request', async () => {
    await post('/all?token=1', '{"amount":15000,"password":"hunter2"}');
    const body = { amount: 15_000, password: '[redacted]' };
    expect(await lastHop('/all?token=1')).toEqual({
      n: expect.any(Number),
      nth: expect.any(Number),
      at: expect.any(Number),
      startedAt: expect.any(Number),
      key: 'k1',
      requestId: 'r-1',
      traceId: null,
      from: null,
      to: 'edge',
      instance: 'baseline',
      served: 'edge/baseline/7',
      answered: true,
      recovered: false,
      escaped: false,
      protocol: 'http1',
      method: 'POST',
      path: '/all?token=1',
      status: 201,
      durationMs: expect.any(Number),
      requestBody: body,
      requestBytes: 37,
      responseBody: body,
      responseBytes: 37,
      guards: {},
    });
  });

  test('name the caller, unless the request came from outside', async () => {
    await post('/outside', '1', { ...json, 'x-surety-from': 'liar' });
    expect(await lastHop('/outside')).toMatchObject({ from: null });
    await post('/inside', '1', { ...json, 'x-surety-from': 'orders', 'x-surety-to': 'edge:80' });
    expect(await lastHop('/inside')).toMatchObject({ from: 'orders', to: 'edge' });
  });

  test.each([
    ['of another type', '{"a":1}', { 'content-type': 'text/plain' }, null],
    ['of a type like JSON', '{"a":1}', { 'content-type': 'application/problem+json' }, { a: 1 }],
    ['that are broken', '{"a":', json, null],
    ['that are too deep', '['.repeat(65) + ']'.repeat(65), json, null],
    ['that are just as deep as can be kept', `${'['.repeat(64)}${']'.repeat(64)}`, json, 'list'],
  ])('keep bodies %s if they can be read as JSON', async (name, body, headers, expected) => {
    const path = `/${encodeURIComponent(name)}`;
    await post(path, body, headers);
    const hop = await lastHop(path);
    expect(hop).toMatchObject({ requestBytes: body.length, responseBytes: body.length });
    const wanted = expected === 'list' ? JSON.parse(body) : expected;
    expect([hop?.requestBody, hop?.responseBody]).toEqual([wanted, wanted]);
  });

  test('keep bodies up to a size', async () => {
    const string = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    await post('/fits', string(sharedLimits.hopBodyBytesMax));
    expect(await lastHop('/fits')).toMatchObject({
      requestBody: expect.stringMatching(/^x+$/),
      responseBytes: sharedLimits.hopBodyBytesMax,
    });
    await post('/larger', string(sharedLimits.hopBodyBytesMax + 1));
    expect(await lastHop('/larger')).toMatchObject({
      requestBody: null,
      responseBody: null,
      requestBytes: sharedLimits.hopBodyBytesMax + 1,
    });
  });

  test('are read page by page, and deleted on request', async () => {
    await scene.router.forget('k1');
    const count = routerLimits.routerPageHopsMax + 5;
    for (let call = 0; call < count; call++) await post(`/${call}`, '1');
    const hops = await scene.hops('k1', count);
    expect(hops.map(({ path }) => path)).toEqual(Array.from({ length: count }, (_, n) => `/${n}`));
    const { last } = await scene.router.hops('k1');
    expect(last).toBe(hops.at(-1)?.n);
    expect(await scene.router.hops('k1', last)).toEqual({ hops: [], last });
    await scene.router.forget('k1');
    expect(await scene.router.hops('k1')).toEqual({ hops: [], last: 0 });
  });
});
