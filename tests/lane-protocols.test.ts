import { afterAll, beforeAll, expect, test } from 'vitest';
import { Peer } from '../src/preload/peer.fixture.ts';
import { Service } from '../src/preload/service.fixture.ts';
import { Scene } from '../src/router/scene.fixture.ts';

/** A service with the preload that calls `prices` in every way there is, and a real router. */
let scene: Scene;
let baseline: Peer;
let candidate: Peer;
let orders: Service;
let ways: string[];

const portOf = ({ address }: Peer): number => Number(address.split(':')[1]);

beforeAll(async () => {
  scene = await Scene.open();
  baseline = await Peer.open('baseline');
  candidate = await Peer.open('candidate');
  const tag = { service: 'orders', router: `127.0.0.1:${scene.port}` };
  orders = await Service.start({ file: 'protocol-service.cjs', tag });
  ways = (await (await orders.ask('/ways')).json()) as string[];
  await scene.router.setTable({
    ingress: 'orders',
    services: { orders: { port: orders.port }, prices: { port: portOf(baseline) } },
    lanes: {
      k1: {
        lane: 'lane_1',
        overrides: { prices: { port: portOf(candidate), instance: 'prices/lane_1/1' } },
      },
    },
  });
});

afterAll(async () => {
  for (const one of [orders, scene, baseline, candidate]) await one?.[Symbol.asyncDispose]();
});

const call = async (way: string, key?: string): Promise<string> =>
  (await orders.ask(`/call/${way}?to=${baseline.address}`, key)).text();

// proves: lanes.protocols
test('every keyed call reaches the candidate, and every other call the baseline', async () => {
  expect(ways.length).toBeGreaterThan(30);
  for (const way of ways) {
    expect([way, await call(way, 'k1')]).toEqual([way, 'candidate']);
    expect([way, await call(way)]).toEqual([way, 'baseline']);
  }
  expect(candidate.take()).toHaveLength(ways.length);
  expect(baseline.take()).toHaveLength(ways.length);
  const { hops } = await scene.router.hops('k1');
  expect(hops.map(({ from, to, instance }) => ({ from, to, instance }))).toEqual(
    ways.map(() => ({ from: 'orders', to: 'prices', instance: 'prices/lane_1/1' })),
  );
});

// proves: lanes.fail-closed
test('a call with an unknown key reaches no instance', async () => {
  for (const way of ways) {
    expect([way, await call(way, 'k9')]).not.toEqual([way, 'baseline']);
  }
  expect([baseline.take(), candidate.take()]).toEqual([[], []]);
});
