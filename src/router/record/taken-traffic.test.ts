import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import type { RequestHead } from '../inbound/head.ts';
import { routerLimits } from '../limits.ts';
import { Scene } from '../scene.fixture.ts';
import { TakenTraffic } from './taken-traffic.ts';

const head = (path = '/'): RequestHead => ({
  method: 'POST',
  path,
  headers: {},
  lines: ['authorization', 'Bearer t'],
  hasBody: true,
  isGrpc: false,
});

function pass(traffic: TakenTraffic, key: string, path = '/', bytes = 1): void {
  const taking = traffic.open(key, head(path));
  taking?.sent.add(Buffer.alloc(bytes, 'a'));
  taking?.answered.add(Buffer.alloc(bytes, 'b'));
  taking?.end(201);
}

/** A body and as large an answer, in base64, as often as they fit. */
const takenBodiesMax = Math.floor(
  routerLimits.takenBytesMax / (2 * 4 * Math.ceil(sharedLimits.takenBodyBytesMax / 3)),
);

describe('complete requests from outside are kept', () => {
  test('only for lanes for which they were requested, until they are fetched', () => {
    const traffic = new TakenTraffic();
    pass(traffic, 'k1');
    traffic.begin('k1');
    pass(traffic, 'k1', '/orders');
    pass(traffic, 'k2');
    expect(traffic.fetch('k2')).toBeNull();
    expect(traffic.fetch('k1')).toEqual([
      {
        method: 'POST',
        path: '/orders',
        headers: ['authorization', 'Bearer t'],
        body: Buffer.from('a').toString('base64'),
        status: 201,
        answer: Buffer.from('b').toString('base64'),
      },
    ]);
    pass(traffic, 'k1');
    expect(traffic.fetch('k1')).toBeNull();
    traffic.begin('k1');
    expect(traffic.fetch('k1')).toEqual([]);
  });

  test('up to a number of requests and of lanes', () => {
    const traffic = new TakenTraffic();
    traffic.begin('k1');
    for (let n = 0; n <= sharedLimits.takenRequestsMax; n++) pass(traffic, 'k1');
    expect(traffic.fetch('k1')).toHaveLength(sharedLimits.takenRequestsMax);
    for (let n = 0; n <= routerLimits.takenLanesMax; n++) traffic.begin(`lane${n}`);
    for (const key of ['lane0', 'lane1']) pass(traffic, key);
    // Nothing was sent, and nothing was kept, are two things.
    expect(traffic.fetch('lane0')).toBeNull();
    expect(traffic.fetch('lane1')).toHaveLength(1);
  });

  test('with bodies up to a size', () => {
    const traffic = new TakenTraffic();
    traffic.begin('k1');
    pass(traffic, 'k1', '/', sharedLimits.takenBodyBytesMax);
    pass(traffic, 'k1', '/', sharedLimits.takenBodyBytesMax + 1);
    const [small, large] = traffic.fetch('k1') ?? [];
    expect(small?.body).not.toBeNull();
    expect(large).toMatchObject({ body: null, answer: null, status: 201 });
  });

  test('up to a total size, and not at all for a lane that would exceed it', () => {
    const traffic = new TakenTraffic();
    const passLarge = (key: string): void =>
      pass(traffic, key, '/', sharedLimits.takenBodyBytesMax);
    const kept = (key: string): number | undefined => traffic.fetch(key)?.length;
    for (const key of ['full', 'more']) traffic.begin(key);
    for (let n = 0; n < takenBodiesMax; n++) passLarge('full');
    passLarge('more');
    expect(kept('more')).toBeUndefined();
    expect(kept('full')).toBe(takenBodiesMax);
    // What was fetched makes room.
    traffic.begin('more');
    passLarge('more');
    expect(kept('more')).toBe(1);
  });

  test('by a running router, outside of its hops', async () => {
    await using scene = await Scene.open();
    const port = await scene.serve(async (request, response) => {
      response.setHeader('Content-Encoding', 'identity');
      response.end(JSON.stringify({ got: await text(request) }));
    });
    await scene.routeTo(port);
    await scene.router.take('k1');
    const headers = { baggage: 'surety-lane=k1', authorization: 'Bearer 12345' };
    const url = `http://127.0.0.1:${scene.port}/orders`;
    const answer = await (await fetch(url, { method: 'POST', headers, body: 'what' })).text();
    await scene.hops('k1', 1);
    const [taken, ...others] = (await scene.router.taken('k1')) ?? [];
    expect(others).toEqual([]);
    expect(taken).toMatchObject({ method: 'POST', path: '/orders', status: 200 });
    expect(taken?.answerEncoding).toBe('identity');
    expect(taken?.headers).toContain('Bearer 12345');
    expect(Buffer.from(taken?.body ?? '', 'base64').toString()).toBe('what');
    expect(Buffer.from(taken?.answer ?? '', 'base64').toString()).toBe(answer);
    expect(JSON.stringify(await scene.hops('k1', 1))).not.toContain('12345');
    expect(await scene.router.taken('k1')).toBeNull();
  });
});
