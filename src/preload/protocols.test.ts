import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { findOldNode } from './old-node.fixture.ts';
import { Peer } from './peer.fixture.ts';
import { Service, type ServiceOptions } from './service.fixture.ts';

/** Plain HTTP runs on an old Node in each run of the tests. */
const oldNode = isDeep ? findOldNode() : undefined;
const variants: [string, ServiceOptions][] = [
  ['CommonJS', { file: 'protocol-service.cjs' }],
  ['ES modules', { file: 'protocol-service.mjs' }],
  ...(oldNode
    ? ([['CommonJS on an old Node', { file: 'protocol-service.cjs', node: oldNode }]] as [
        string,
        ServiceOptions,
      ][])
    : []),
];

describe.each(variants)('a service in %s', (_, variant) => {
  let router: Peer;
  let baseline: Peer;
  let service: Service;
  let ways: string[];

  beforeAll(async () => {
    router = await Peer.open('router');
    baseline = await Peer.open('baseline');
    service = await Service.start({
      ...variant,
      tag: { service: 'orders', router: router.address, header: 'X-Lane' },
    });
    ways = (await (await service.ask('/ways')).json()) as string[];
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const call = async (
    way: string,
    key?: string,
    { path = '/path', to = baseline.address } = {},
  ): Promise<string> => (await service.ask(`/call/${way}?to=${to}&path=${path}`, key)).text();

  test('sends keyed calls to the router in their own protocol', async () => {
    expect(ways).toContain('grpc-bidi');
    for (const way of ways) {
      expect([way, await call(way, 'key-1')]).toEqual([way, 'router']);
      const [met, ...others] = router.take();
      expect([way, others]).toEqual([way, []]);
      expect([way, met]).toEqual([
        way,
        expect.objectContaining({ path: '/path', protocol: protocolOf(way) }),
      ]);
      expect([way, met?.headers]).toEqual([
        way,
        expect.objectContaining({
          baggage: 'surety-lane=key-1',
          tracestate: 'surety=key-1',
          'x-lane': 'key-1',
          'x-surety-to': baseline.address,
          'x-surety-from': 'orders',
        }),
      ]);
      const host = met?.headers.host ?? met?.headers[':authority'];
      expect([way, host]).toEqual([way, baseline.address]);
      expect(met?.headers).not.toHaveProperty('x-surety-call');
    }
    expect(baseline.take()).toEqual([]);
  });

  // proves: lanes.unkeyed
  test('sends unkeyed calls past the router without any header of Surety', async () => {
    for (const way of ways) {
      expect([way, await call(way)]).toEqual([way, 'baseline']);
      const names = baseline.take().flatMap(({ headers }) => Object.keys(headers));
      expect([way, names.filter((name) => /surety|lane|baggage|trace/.test(name))]).toEqual([
        way,
        [],
      ]);
    }
    expect(router.take()).toEqual([]);
  });

  // proves: lanes.key-ends
  test('separates keys on shared pools, sessions and channels', async () => {
    // One that nobody has talked to: all of them wait for the same connection to be opened.
    await using fresh = await Peer.open('baseline');
    const to = fresh.address;
    const keys = ['key-0', undefined, 'key-2', undefined, 'key-4'];
    const calls = ways.flatMap((way) =>
      keys.map((key, index) => ({ way, key, path: `/${index}` })),
    );
    const answers = calls.map(({ way, key, path }) => call(way, key, { path, to }));
    expect(await Promise.all(answers)).toEqual(
      calls.map(({ key }) => (key === undefined ? 'baseline' : 'router')),
    );
    const wrong = router.take().filter(({ path, headers }) => {
      return headers.tracestate !== `surety=${keys[Number(path.slice(1))]}`;
    });
    expect(wrong).toEqual([]);
    expect(fresh.take()).toHaveLength(ways.length * 2);
  });

  test('uses the key that the application itself puts into its headers', async () => {
    const named = await service.ask(`/named?to=${baseline.address}`);
    expect(await named.text()).toBe('router router router');
    const keys = router.take().map(({ headers }) => headers.tracestate);
    expect(keys).toEqual(['surety=own', 'surety=own', 'surety=own']);
  });
});

function protocolOf(way: string): string {
  if (way.startsWith('grpc')) return 'grpc';
  if (way.startsWith('http2')) return 'http2';
  return /(?:^|-)w(?:eb)?s(?:ocket)?$/.test(way) ? 'websocket' : 'http1';
}
