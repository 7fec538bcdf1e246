import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tagEnvironment } from '../../src/preload/index.ts';
import {
  atMost,
  type Bar,
  type BenchResult,
  median,
  quantile,
  type Row,
  type Say,
} from '../bench.ts';

const program = fileURLToPath(new URL('./preload-service.cjs', import.meta.url));
const requestsPerRound = 400;
const rounds = 40;
const starts = 40;

const contenders = ['without', 'with'] as const;
type Contender = (typeof contenders)[number];
type By<Value> = Record<Contender, Value>;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly start: Start;
}

interface Start {
  readonly ms: number;
  /** Of the process itself, whatever else the machine was busy with. */
  readonly cpuMs: number;
}

interface Sample {
  readonly cpuMicros: number;
  readonly p50Micros: number;
}

/** What a service pays for the preload as long as nobody comes with a key. */
export async function measurePreload(say: Say): Promise<BenchResult> {
  const backend = createServer((_, response) => response.end('answer')).listen(0, '127.0.0.1');
  backend.keepAliveTimeout = 600_000;
  await once(backend, 'listening');
  const { port } = backend.address() as AddressInfo;
  const startUp = await measureStarts(port, say);
  const running = { without: await start('without', port), with: await start('with', port) };
  const http = await measureWay('/http', running, say);
  const fetched = await measureWay('/fetch', running, say);
  for (const { child } of Object.values(running)) await stop(child);
  backend.closeAllConnections();
  backend.close();
  return {
    bars: [
      ...barsOf('http', http),
      ...barsOf('fetch', fetched),
      atMost('preload.start', 'extra start-up time', differenceOf(startUp), 30, 'ms'),
    ],
    rows: [...rowsOf('http', http), ...rowsOf('fetch', fetched), ...startRows(startUp)],
  };
}

function environmentOf(contender: Contender, backend: number): NodeJS.ProcessEnv {
  const tag = { service: 'bench', instance: 'bench/baseline/1', router: '127.0.0.1:1' };
  const whole = { ...tag, traceSecret: 'ab'.repeat(32), header: 'x-lane', reusePort: true };
  const hosts = { 'pricing:*': '127.0.0.1:1' };
  const tagged = contender === 'with' ? tagEnvironment({ ...whole, hosts }) : {};
  return { PATH: process.env.PATH, BACKEND_PORT: String(backend), ...tagged };
}

async function start(contender: Contender, backend: number): Promise<Running> {
  const began = performance.now();
  const env = environmentOf(contender, backend);
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  const { port, cpuMs } = JSON.parse(line) as { port: number; cpuMs: number };
  return { child, port, start: { ms: performance.now() - began, cpuMs } };
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function measureStarts(backend: number, say: Say): Promise<By<Start[]>> {
  const taken: By<Start[]> = { without: [], with: [] };
  for (let round = 0; round <= starts; round++) {
    if (round % 10 === 0) say(`start ${round} of ${starts}`);
    for (const contender of contenders) {
      const started = await start(contender, backend);
      await stop(started.child);
      // The first of each finds its files on the disk.
      if (round > 0) taken[contender].push(started.start);
    }
  }
  return taken;
}

async function measureWay(way: string, running: By<Running>, say: Say): Promise<By<Sample[]>> {
  const samples: By<Sample[]> = { without: [], with: [] };
  for (let round = -3; round < rounds; round++) {
    if (round % 10 === 0) say(`${way.slice(1)}: round ${round} of ${rounds}`);
    // Whoever comes second finds the machine as the first left it: they take turns at that, too.
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const contender of order) {
      const sample = await measureRound(way, running[contender].port);
      if (round >= 0) samples[contender].push(sample);
    }
  }
  return samples;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function measureRound(way: string, port: number): Promise<Sample> {
  const micros: number[] = [];
  const before = await cpuOf(port);
  for (let sent = 0; sent < requestsPerRound; sent++) {
    const began = performance.now();
    const text = await ask(way, port);
    micros.push((performance.now() - began) * 1_000);
    if (text !== 'answer') throw new Error(`${way} answered ${text}`);
  }
  const cpuMicros = ((await cpuOf(port)) - before) / requestsPerRound;
  return { cpuMicros, p50Micros: median(micros) };
}

async function cpuOf(port: number): Promise<number> {
  const { user, system } = JSON.parse(await ask('/cpu', port)) as NodeJS.CpuUsage;
  return user + system;
}

async function ask(path: string, port: number): Promise<string> {
  const [answer] = await once(get({ port, host: '127.0.0.1', path, agent }), 'response');
  return Buffer.concat(await answer.toArray()).toString();
}

function differenceOf(taken: By<Start[]>): number {
  return median(taken.with.map(({ ms }, index) => ms - (taken.without[index]?.ms ?? Number.NaN)));
}

/** Of the two in the same round: noise that lasts longer than a round falls out. */
function barsOf(way: string, samples: By<Sample[]>): Bar[] {
  const pairs = samples.with.map((one, index) => ({
    one,
    other: samples.without[index] as Sample,
  }));
  const cpu = median(pairs.map(({ one, other }) => one.cpuMicros / other.cpuMicros));
  const p50 = median(pairs.map(({ one, other }) => one.p50Micros - other.p50Micros));
  return [
    atMost(`preload.cpu-${way}`, `extra CPU per unkeyed request, ${way}`, (cpu - 1) * 100, 3, '%'),
    atMost(`preload.p50-${way}`, `extra p50 of an unkeyed request, ${way}`, p50, 10, 'µs'),
  ];
}

function rowsOf(way: string, samples: By<Sample[]>): Row[] {
  return contenders.map((contender) => ({
    contender: `${way}: ${contender} the preload`,
    'CPU µs each': Number(median(samples[contender].map((one) => one.cpuMicros)).toFixed(1)),
    'p50 µs': Number(median(samples[contender].map((one) => one.p50Micros)).toFixed(1)),
  }));
}

function startRows(taken: By<Start[]>): Row[] {
  return contenders.map((contender) => {
    const all = taken[contender].map(({ ms }) => ms);
    return {
      contender: `start: ${contender} the preload`,
      'median ms': Number(median(all).toFixed(1)),
      'fastest ms': Number(quantile(all, 0).toFixed(1)),
      'CPU ms': Number(median(taken[contender].map(({ cpuMs }) => cpuMs)).toFixed(1)),
    };
  });
}
