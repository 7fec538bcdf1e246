import { once } from 'node:events';
import { request as dial } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routerLimits } from '../limits.ts';
import { Scene } from '../scene.fixture.ts';
import { createAddressBook } from '../table/address-book.ts';
import { readFaults } from './injected-fault.ts';

const table = { ingress: 'edge', services: { edge: { port: 1 }, orders: { port: 2 } }, lanes: {} };
const book = createAddressBook(table);
const at = (baggage: string, from: string | null = 'edge', to = 'orders') =>
  readFaults(book, baggage, { from, to })?.met ?? null;
const invalid = (reason: string) =>
  expect.objectContaining({ code: 'INJECTION_INVALID', message: expect.stringContaining(reason) });

describe('reading an injected fault', () => {
  test.each<[string, string | null, string, object | null]>([
    [
      'surety-lane=k1,surety-fault=edge>orders:delay=800',
      'edge',
      'orders',
      { delayMs: 800, status: null },
    ],
    ['surety-fault=edge>orders:status=503', 'edge', 'orders', { delayMs: 0, status: 503 }],
    ['surety-fault=*>orders:delay=5+reset', 'edge', 'orders', { delayMs: 5, status: 0 }],
    ['surety-fault=edge>orders:lost+delay=5', 'edge', 'orders', { isLost: true, status: null }],
    ['surety-fault=outside>edge:reset', null, 'edge', { delayMs: 0, status: 0 }],
    [
      'surety-fault=edge>orders:reset|orders>10.0.0.1:443:status=429',
      'orders',
      '10.0.0.1:443',
      { status: 429 },
    ],
    ['a=1, surety-fault = edge>orders:reset;p=1 ,b=2', 'edge', 'orders', { status: 0 }],
    ['surety-fault=edge>orders:reset', 'orders', 'edge', null],
    ['surety-fault=edge>orders:reset', null, 'orders', null],
    ['surety-faulty=edge>orders:what', 'edge', 'orders', null],
    ['surety-lane=k1', 'edge', 'orders', null],
  ])('evaluates %s at %s > %s', (baggage, from, to, expected) => {
    const found = at(baggage, from, to);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatchObject(expected);
  });

  test.each<[string, string]>([
    ['', 'is not caller>service'],
    ['orders:delay=1', 'is not caller>service'],
    ['edge>orders:slow', 'is not caller>service'],
    ['edge>orders:delay=-1', 'neither delay'],
    ['edge>orders:delay=', 'neither delay'],
    ['edge>orders:status=200', 'neither delay'],
    ['edge>orders:status=600', 'neither delay'],
    ['edge>orders:reset=1', 'neither delay'],
    ['edge>orders:lost=1', 'neither delay'],
    ['edge>orders:status=503+lost', 'only be lost where there is one'],
    ['edge>orders:lost+reset', 'only be lost where there is one'],
    ['edge>orders:delay=1+boom', '"boom" is neither'],
    ['edge>fees:reset', 'no service "fees"'],
    ['fees>orders:reset', 'no service "fees"'],
    ['edge>constructor:reset', 'no service "constructor"'],
  ])('refuses "%s"', (fault, reason) => {
    expect(() => at(`surety-fault=${fault}`)).toThrow(invalid(reason));
  });

  test(`accepts a delay of ${routerLimits.injectedDelayMsMax} ms at most`, () => {
    const delayed = (ms: number) => () => at(`surety-fault=edge>orders:delay=${ms}`);
    expect(delayed(routerLimits.injectedDelayMsMax)()).toMatchObject({
      delayMs: routerLimits.injectedDelayMsMax,
    });
    expect(delayed(routerLimits.injectedDelayMsMax + 1)).toThrow(
      invalid(`${routerLimits.injectedDelayMsMax} are`),
    );
  });

  test(`accepts ${routerLimits.injectedFaultsMax} faults at most`, () => {
    const faults = (count: number) => () =>
      at(`surety-fault=${Array(count).fill('edge>orders:reset').join('|')}`);
    expect(faults(routerLimits.injectedFaultsMax)()).toMatchObject({ status: 0 });
    expect(faults(routerLimits.injectedFaultsMax + 1)).toThrow(
      invalid(`${routerLimits.injectedFaultsMax} are`),
    );
  });
});

// proves: verify.injection
describe('a request meets its injected fault:', () => {
  let scene: Scene;
  let served: number;
  let heard: string;
  beforeAll(async () => {
    served = 0;
    scene = await Scene.open();
    const port = await scene.serve(async (request, response) => {
      heard = await text(request);
      served += 1;
      response.end('served');
    });
    const doorPort = await scene.serve(() => undefined);
    scene.serverOn(doorPort).close();
    const doors = [{ port: doorPort, from: null, to: 'edge' }];
    await scene.routeTo(port, { doors });
    door = doorPort;
  });
  afterAll(() => scene[Symbol.asyncDispose]());
  let door: number;

  const ask = (fault: string, { key = 'k1', port = scene.port } = {}) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: 'x'.repeat(100_000),
      headers: { baggage: `${key ? `surety-lane=${key},` : ''}surety-fault=outside>edge:${fault}` },
    });

  test('a status that never reaches the service', async () => {
    const before = served;
    const answer = await ask('status=503');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'injected by surety: status=503' },
    ]);
    const hops = await scene.hops('k1', 1);
    expect(hops.at(-1)).toMatchObject({
      status: 503,
      injected: 'status=503',
      faults: 'outside>edge:status=503',
      answered: false,
    });
    expect(served).toBe(before);
  });

  test('a connection reset', async () => {
    await expect(ask('reset')).rejects.toThrow('fetch failed');
    expect((await scene.hops('k1', 2)).at(-1)).toMatchObject({ status: 0, injected: 'reset' });
  });

  test('an answer that is lost after the service has sent it', async () => {
    const before = served;
    await expect(ask('lost')).rejects.toThrow('fetch failed');
    const lost = await scene.hops('k1', 3);
    expect(lost.at(-1)).toMatchObject({
      status: 0,
      lostStatus: 200,
      injected: 'lost',
      answered: true,
      responseBytes: 'served'.length,
    });
    expect(served).toBe(before + 1);
  });

  test('a delay before it is served', async () => {
    expect(await (await ask('delay=30')).text()).toBe('served');
    const { injected, durationMs, answered } = (await scene.hops('k1', 4)).at(-1) ?? {};
    expect([injected, answered]).toEqual(['delay=30', true]);
    expect(durationMs).toBeGreaterThanOrEqual(29);
  });

  test('none without the key of an open lane', async () => {
    expect(await (await ask('reset', { key: '', port: door })).text()).toBe('served');
    const refused = await ask('reset', { key: 'k2' });
    expect(await refused.json()).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
    expect(refused.headers.get('x-surety-refused')).toBe('LANE_UNKNOWN');
    const wrong = await ask('boom');
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { fault: { code: 'INJECTION_INVALID' } },
    ]);
  });

  test('a lost answer also with Expect: 100-continue', async () => {
    const baggage = 'surety-lane=k1,surety-fault=outside>edge:lost';
    const headers = { baggage, expect: '100-continue' };
    const call = dial({ port: scene.port, method: 'POST', headers });
    call.flushHeaders();
    await once(call, 'continue', { signal: AbortSignal.timeout(20_000) });
    const broken = once(call, 'error');
    call.end('said after all');
    expect(await broken).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(heard).toBe('said after all');
  });

  test('only while its lane is open', async () => {
    const before = served;
    const waiting = ask('delay=30000');
    await scene.routeTo(1, { lanes: {} });
    expect(await (await waiting).json()).toMatchObject({ fault: { code: 'LANE_UNKNOWN' } });
    expect(served).toBe(before);
  });
});
