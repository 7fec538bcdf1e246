import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hop, Lane } from '../../lanes/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import { measure } from './measure.ts';
import { measurePairs, type PairContext } from './pairs.ts';
import { signalsOf } from './signals.ts';

const hops = new Map<string, Hop[]>();
let server: Server;

/** Keeps hops as a router would; only `/orders` goes on to the service of that name. */
beforeAll(async () => {
  server = createServer(({ headers, url }, response) => {
    const requestId = String(headers['x-request-id']);
    const [lane = ''] = requestId.split('-');
    const all = hops.get(lane) ?? [];
    all.push(hop({ from: null, to: 'edge', requestId, durationMs: 2 }));
    if (url === '/orders') all.push(hop({ from: 'edge', to: 'orders', requestId, durationMs: 1 }));
    hops.set(lane, all);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

const laneOf = (lane: string): Lane =>
  ({ lane, candidates: [{ service: 'orders', name: `${lane}.orders` }] }) as never;
const request = (path: string): ScenarioRequest => ({
  method: 'GET',
  path,
  headers: [],
  body: null,
  status: 200,
  answer: null,
});

const planOf = (name: string, others: number) => ({
  control: laneOf(`control${name}`),
  candidate: laneOf(`candidate${name}`),
  services: ['orders'],
  ingress: 'edge',
  scenarios: [{ name: 'flow', requests: [request('/orders'), ...news(others)] }],
  isSafe: () => true,
  warmUpPairs: 20,
  pairsMax: 30,
  ms: 60_000,
});
const news = (count: number): ScenarioRequest[] =>
  Array.from({ length: count }, (_, index) => request(`/news/${index}`));

function depsOf(signal?: AbortSignal): PairContext {
  const { port } = server.address() as AddressInfo;
  const routes = {
    address: async () => `http://127.0.0.1:${port}`,
    hops: async (lane: string, after = 0) => (hops.get(lane) ?? []).filter(({ n }) => n > after),
  };
  const host = { meter: async () => ({ read: () => [{ cpuNs: 0 }] }) };
  return { routes, host, ...(signal ? { signal } : {}) } as never;
}

test.each([
  ['the warm-up', 24],
  ['the first pass', 3],
])('a request that reached a changed service only during %s is repeated', async (_, others) => {
  const sampled = await measurePairs(planOf(`${others}`, others), () => false, depsOf());
  const found = signalsOf(sampled).find(({ signal }) => signal === 'latency-ms');
  expect(found?.start.length).toBeGreaterThanOrEqual(20);
});

test('after the deadline nothing more is sent or decided', async () => {
  const over = new AbortController();
  const plan = planOf('late', 3);
  const isEnough = (): boolean => {
    over.abort();
    return false;
  };
  const { pairs } = await measurePairs(plan, isEnough, depsOf(over.signal));
  expect(pairs).toHaveLength(10);
  const { control, candidate } = plan;
  const whole = { ...plan, lanes: { control, candidate }, profile: 'full', isWarm: true } as const;
  const withFreshLanes = async (): Promise<never> => {
    throw new Error('another start');
  };
  const measured = await measure(whole, { ...depsOf(over.signal), withFreshLanes });
  expect(measured).toMatchObject({
    differences: [],
    undecided: [expect.stringContaining('deadline')],
  });
});
