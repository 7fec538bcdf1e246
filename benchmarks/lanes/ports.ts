import { Client, credentials } from '@grpc/grpc-js';
import { Pool } from 'undici';
import type { RouteTable } from '../../src/router/index.ts';
import { freePort } from '../../tests/harness/free-ports.ts';
import {
  atMost,
  type Bar,
  type BenchResult,
  median,
  quantile,
  type Row,
  type Say,
} from '../bench.ts';
import { cpuMicros, Forwarders } from './forwarders.ts';

const connections = 8;
const requestsPerRound = 4_000;
const rounds = 15;
const switches = 500;

/** Ways to the same service: its own port, and router ports. */
type Way = 'direct' | 'no lane' | 'a lane';
type Protocol = 'HTTP' | 'gRPC';
type Costs = Record<Way, number[]>;

interface Place {
  readonly port: number;
  /** All that works for a request, besides this process. */
  readonly pids: readonly number[];
}

type Ask = () => Promise<void>;

/** What a call by a router port costs all processes together, beside a direct call. */
export async function measurePorts(say: Say): Promise<BenchResult> {
  await using scene = new Forwarders();
  const http = await measureProtocol('HTTP', scene, say);
  const grpc = await measureProtocol('gRPC', scene, say);
  const waits = await measureSwitches(scene, say);
  const p99 = Number(quantile(waits, 0.99).toFixed(2));
  return {
    bars: [
      ...barsOf('HTTP', http),
      ...barsOf('gRPC', grpc),
      atMost(
        'ports.switch',
        'from no lane to one, with 8 gRPC calls under way, p99',
        p99,
        50,
        'ms',
      ),
    ],
    rows: [
      ...rowsOf('HTTP', http),
      ...rowsOf('gRPC', grpc),
      { contender: 'switch', 'p50 ms': Number(median(waits).toFixed(2)), 'p99 ms': p99 },
    ],
  };
}

async function measureProtocol(protocol: Protocol, scene: Forwarders, say: Say): Promise<Costs> {
  const ways = await openWays(protocol, scene);
  const costs: Costs = { direct: [], 'no lane': [], 'a lane': [] };
  for (let round = 0; round <= rounds; round++) {
    say(`${protocol}: round ${round} of ${rounds}`);
    for (const [way, place] of Object.entries(ways) as [Way, Place][]) {
      const micros = await costOf(protocol, place);
      if (round > 0) costs[way].push(micros);
    }
  }
  return costs;
}

async function openWays(protocol: Protocol, scene: Forwarders): Promise<Record<Way, Place>> {
  const service = await scene.process(protocol === 'gRPC' ? 'grpc' : 'service');
  const open = async (lanes: number): Promise<Place> => {
    const { control, pid } = await scene.router(`${protocol} ${lanes}`);
    const port = await freePort();
    await control.setTable(tableOf(protocol, { service: service.port, port, lanes }));
    return { port, pids: [service.pid, pid] };
  };
  const direct = { port: service.port, pids: [service.pid] };
  return { direct, 'no lane': await open(0), 'a lane': await open(1) };
}

interface Ports {
  readonly service: number;
  readonly port: number;
  readonly lanes: number;
}

function tableOf(protocol: Protocol, { service, port, lanes }: Ports): RouteTable {
  const lane = { lane: 'lane_1', overrides: { callee: { port: 2, instance: 'callee/1' } } };
  return {
    ingress: 'caller',
    services: {
      caller: { port: 1 },
      callee: { port: service, protocol: protocol === 'gRPC' ? 'grpc' : 'http' },
    },
    doors: [{ port, from: 'caller', to: 'callee' }],
    lanes: lanes === 0 ? {} : { k1: lane },
  };
}

/** CPU of caller, service and router per request; every answer is looked at. */
async function costOf(protocol: Protocol, { port, pids }: Place): Promise<number> {
  const spent = (): number => sum([process.pid, ...pids].map(ownMicros));
  await using caller = openCaller(protocol, port);
  await caller.ask();
  const before = spent();
  let sent = 0;
  const askAll = async (): Promise<void> => {
    while (sent++ < requestsPerRound) await caller.ask();
  };
  await Promise.all(Array.from({ length: connections }, askAll));
  return (spent() - before) / requestsPerRound;
}

/** This process has services and routers as children, which are counted on their own. */
function ownMicros(pid: number): number {
  const { user, system } = process.cpuUsage();
  return pid === process.pid ? user + system : cpuMicros(pid);
}

function openCaller(protocol: Protocol, port: number): { ask: Ask } & AsyncDisposable {
  return protocol === 'gRPC' ? grpcCaller(port) : httpCaller(port);
}

function httpCaller(port: number): { ask: Ask } & AsyncDisposable {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  return {
    async ask() {
      const { statusCode, body } = await pool.request({ path: '/prices', method: 'GET' });
      const { items } = (await body.json()) as { items: unknown[] };
      if (statusCode !== 200 || items.length !== 5) throw new Error(`answered ${statusCode}`);
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function grpcCaller(port: number): { ask: Ask } & AsyncDisposable {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  const question = Buffer.from('prices');
  return {
    ask: () =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest('/bench.Prices/List', same, same, question, (error, answer) => {
          if (error) reject(error);
          else if (answer?.length !== 300) reject(new Error('answered something else'));
          else resolve();
        });
      }),
    async [Symbol.asyncDispose]() {
      client.close();
    },
  };
}

/** Under load, where no call may fail: how long the router takes to look at requests again. */
async function measureSwitches(scene: Forwarders, say: Say): Promise<number[]> {
  say(`${switches} switches`);
  const service = await scene.process('grpc');
  const { control } = await scene.router('switches');
  const port = await freePort();
  const ports = { service: service.port, port };
  await control.setTable(tableOf('gRPC', { ...ports, lanes: 0 }));
  const waits: number[] = [];
  for (let change = 0; change < switches; change++) {
    // New connections are passed through at once; those that exist, only after a while.
    await using caller = openCaller('gRPC', port);
    await caller.ask();
    let isOver = false;
    const load = async (): Promise<void> => {
      while (!isOver) await caller.ask();
    };
    const loads = Promise.all(Array.from({ length: connections }, load));
    const began = performance.now();
    await control.setTable(tableOf('gRPC', { ...ports, lanes: 1 }));
    waits.push(performance.now() - began);
    isOver = true;
    await loads;
    await control.setTable(tableOf('gRPC', { ...ports, lanes: 0 }));
  }
  return waits;
}

/** Of the two in the same round: noise that lasts longer than a round falls out. */
function extra(costs: Costs, way: Way): number {
  const shares = costs[way].map((micros, round) => micros / (costs.direct[round] ?? 0) - 1);
  return Number((median(shares) * 100).toFixed(1));
}

function barsOf(protocol: Protocol, costs: Costs): Bar[] {
  return [
    atMost(
      `ports.${protocol.toLowerCase()}`,
      `extra CPU of a call while no lane is open, ${protocol}`,
      extra(costs, 'no lane'),
      2,
      '%',
    ),
  ];
}

function rowsOf(protocol: Protocol, costs: Costs): Row[] {
  return (['direct', 'no lane', 'a lane'] as const).map((way) => ({
    contender: way === 'direct' ? `${protocol}: direct` : `${protocol}: router port, ${way}`,
    'CPU µs each': Number(median(costs[way]).toFixed(1)),
    'extra %': extra(costs, way),
  }));
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
