import { Pool } from 'undici';
import type { Router, RouteTable } from '../../src/router/index.ts';
import { atMost, type BenchResult, median, quantile, type Row, type Say } from '../bench.ts';
import { cpuMicros, type Forwarder, Forwarders } from './forwarders.ts';

const connections = 32;
const requestsPerRound = 10_000;
const rounds = 16;
const changes = 500;
const manyLanes = 1_000;

/** What a hop costs, beside the proxies that people know, and how soon a new route holds. */
export async function measureRouter(say: Say): Promise<BenchResult> {
  await using scene = new Forwarders();
  const ports = [await scene.service(), await scene.service()] as const;
  const router = await scene.router('router');
  const busy = await scene.router('router, 1,000 lanes');
  await router.control.setTable(tableOf(ports[0], 1));
  await busy.control.setTable(tableOf(ports[0], manyLanes));
  await scene.start(ports[0], say);
  const costs = await measureCosts([router, busy, ...scene.all], say);
  const waits = await measureChanges(router, ports, say);
  const p99 = Number(quantile(waits, 0.99).toFixed(2));
  return {
    bars: [
      atMost(
        'router.cpu',
        'CPU of a hop, relative to bare undici',
        ratio(costs, 'router', 'undici'),
        1.25,
        '×',
      ),
      atMost('router.change', 'from a new route to its first answer, p99', p99, 5, 'ms'),
      atMost(
        'router.lanes',
        'CPU with 1,000 open lanes, relative to one',
        ratio(costs, busy.name, 'router'),
        1.05,
        '×',
      ),
    ],
    rows: [
      ...[...costs].map(([name, micros]) => costRow(`hop by ${name}`, micros)),
      { contender: 'new route', 'p50 ms': Number(median(waits).toFixed(2)), 'p99 ms': p99 },
    ],
  };
}

/** Of the two in the same round: noise that lasts longer than a round falls out. */
function ratio(costs: ReadonlyMap<string, readonly number[]>, one: string, other: string): number {
  const others = costs.get(other) ?? [];
  const ratios = (costs.get(one) ?? []).map((micros, round) => micros / (others[round] ?? 0));
  return Number(median(ratios).toFixed(3));
}

/** All lanes of one candidate: what is measured is finding it, not running it. */
function tableOf(port: number, lanes: number): RouteTable {
  const overrides = { edge: { port, instance: `edge/${port}` } };
  const named = Array.from({ length: lanes }, (_, n) => [
    `k${n + 1}`,
    { lane: `lane_${n + 1}`, overrides, trace: n.toString(16).padStart(8, '0') },
  ]);
  return {
    ingress: 'edge',
    traceSecret: 'ab'.repeat(32),
    services: { edge: { port: 1 } },
    lanes: Object.fromEntries(named),
  };
}

async function measureCosts(all: readonly Forwarder[], say: Say): Promise<Map<string, number[]>> {
  const costs = new Map<string, number[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    say(`router: round ${round} of ${rounds}`);
    for (const forwarder of all) {
      const micros = await costOf(forwarder, forwarder.name.includes('lanes') ? manyLanes : 1);
      if (round > 0) costs.get(forwarder.name)?.push(micros);
    }
  }
  return costs;
}

/** CPU of the process per request; every answer is counted and looked at. */
async function costOf({ port, pid }: Forwarder, lanes: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  let sent = 0;
  const before = cpuMicros(pid);
  const sendAll = async (): Promise<void> => {
    while (sent < requestsPerRound) {
      const key = `k${(sent++ % lanes) + 1}`;
      const headers = { baggage: `surety-lane=${key}`, tracestate: `surety=${key}` };
      const { statusCode, body } = await pool.request({ path: '/prices', method: 'GET', headers });
      const { items } = (await body.json()) as { items: unknown[] };
      if (statusCode !== 200 || items.length !== 5) throw new Error(`answered ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
  const micros = (cpuMicros(pid) - before) / requestsPerRound;
  await pool.close();
  return micros;
}

/** From the moment in which the router is told to the answer that came by the new route. */
async function measureChanges(
  { control, port }: Forwarder & { readonly control: Router },
  ports: readonly [number, number],
  say: Say,
): Promise<number[]> {
  say('route changes');
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  const headers = { baggage: 'surety-lane=k1' };
  const waits: number[] = [];
  for (let change = 0; change < changes; change++) {
    const table = tableOf(ports[(change % 2) as 0 | 1], 1);
    const began = performance.now();
    await control.setTable(table);
    const { statusCode, body } = await pool.request({ path: '/prices', method: 'GET', headers });
    await body.text();
    waits.push(performance.now() - began);
    if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  }
  await checkServed(control, ports);
  await pool.close();
  return waits.slice(changes / 10);
}

async function checkServed(router: Router, ports: readonly number[]): Promise<void> {
  const { hops } = await router.hops('k1');
  const instances = new Set(hops.slice(-10).map(({ instance }) => instance));
  if (instances.size !== ports.length) throw new Error('not every change was routed by');
}

function costRow(contender: string, micros: readonly number[]): Row {
  return {
    contender,
    'CPU µs each': Number(median(micros).toFixed(1)),
    'CPU µs, lowest round': Number(Math.min(...micros).toFixed(1)),
    'CPU µs, highest round': Number(Math.max(...micros).toFixed(1)),
  };
}
