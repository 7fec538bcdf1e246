import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { tagEnvironment } from '../../src/preload/index.ts';
import { atMost, type BenchResult, median, type Row, type Say } from '../bench.ts';
import { countSpans } from './span-count.ts';

const program = fileURLToPath(new URL('./preload-service.cjs', import.meta.url));
const openTelemetry = import.meta.resolve('@opentelemetry/auto-instrumentations-node/register');

const requestsPerRound = 400;
const rounds = 60;
/** A service runs for long: what it does often has been compiled for good. */
const warmUps = 20_000;
const starts = 20;
/** A heap finds its size by chance: of several processes, each after the same requests. */
const memoryStarts = 7;
const memoryRequests = { '/plain': 12_000, '/http': 2_500 };

const contenders = ['nothing', 'tagging', 'reports', 'OpenTelemetry'] as const;
type Contender = (typeof contenders)[number];
type By<Value> = Record<Contender, Value>;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly startMs: number;
}

interface Usage {
  readonly cpuMicros: number;
  readonly bytes: number;
}

/** What a service pays for being known: beside nothing, keys alone, and OpenTelemetry's own. */
export async function measureReports(say: Say): Promise<BenchResult> {
  const backend = await listen(createServer((_, response) => response.end('answer')));
  const receiver = await openReceiver();
  const places = { backend: portOf(backend), receiver: portOf(receiver.server) };
  const startUps = await measureStarts(places, say);
  const bytes = await measureMemory(places.backend, say);
  const running = await startAll(places);
  await warmUp(running, say);
  const plain = await measureWay('/plain', running, say);
  const http = await measureWay('/http', running, say);
  await receiver.expectAll(running.reports.port);
  for (const { child } of Object.values(running)) await stop(child);
  for (const server of [backend, receiver.server]) {
    server.closeAllConnections();
    server.close();
  }
  return resultOf({ plain, http, bytes, startUps });
}

interface Measured {
  readonly plain: By<number[]>;
  readonly http: By<number[]>;
  readonly bytes: By<number[]>;
  readonly startUps: By<number[]>;
}

function resultOf({ plain, http, bytes, startUps }: Measured): BenchResult {
  const more = medianOf(bytes.reports, bytes.nothing, (one, other) => one - other);
  const startUp = medianOf(startUps.reports, startUps.nothing, (one, other) => one - other);
  return {
    bars: [
      atMost('reports.cpu', 'extra CPU per request with reports', over(plain, 'reports'), 8, '%'),
      atMost(
        'reports.cpu-calls',
        'the same, for a request with an outgoing call',
        over(http, 'reports'),
        8,
        '%',
      ),
      atMost('reports.start', 'extra start-up time with reports', startUp, 40, 'ms'),
      atMost('reports.memory', 'extra memory with reports', more / 1_000_000, 10, 'MB'),
    ],
    rows: contenders.map((one) => rowOf(one, { plain, http, bytes, startUps })),
  };
}

function rowOf(one: Contender, { plain, http, bytes, startUps }: Measured): Row {
  return {
    contender: `a service with ${one}`,
    'CPU µs': rounded(median(plain[one])),
    'extra CPU %': rounded(over(plain, one)),
    'CPU µs with a call': rounded(median(http[one])),
    'extra CPU with a call %': rounded(over(http, one)),
    'start ms': rounded(median(startUps[one])),
    'memory MB': rounded(median(bytes[one]) / 1_000_000),
  };
}

const rounded = (value: number): number => Number(value.toFixed(1));

/** Of the two in the same round: noise that lasts longer than a round falls out. */
function over(samples: By<number[]>, one: Contender): number {
  return (medianOf(samples[one], samples.nothing, (with_, without) => with_ / without) - 1) * 100;
}

function medianOf(
  left: readonly number[],
  right: readonly number[],
  compare: (one: number, other: number) => number,
): number {
  return median(left.map((one, index) => compare(one, right[index] as number)));
}

async function listen(server: Server): Promise<Server> {
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

let asked = 0;

/** Takes everything, and counts the spans that our own preload sends. */
async function openReceiver(): Promise<{ server: Server; expectAll(port: number): Promise<void> }> {
  let spans = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const isOurs = request.headers['user-agent'] === undefined;
    if (isOurs && request.url === '/v1/traces') spans += countSpans(body);
    response.end();
  });
  const expectAll = async (port: number): Promise<void> => {
    await usageOf(port);
    await delay(1_000);
    // Every request has a span, and some have one for their call.
    if (spans < asked) throw new Error(`${spans} spans were reported of ${asked} requests`);
  };
  return { server: await listen(server), expectAll };
}

interface Places {
  readonly backend: number;
  readonly receiver: number;
}

function environmentOf(contender: Contender, { receiver }: Places): Record<string, string> {
  if (contender === 'nothing') return {};
  const address = `127.0.0.1:${receiver}`;
  if (contender === 'OpenTelemetry') {
    return {
      NODE_OPTIONS: `--require "${fileURLToPath(openTelemetry)}"`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${address}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_SERVICE_NAME: 'bench',
      // Those of clouds ask addresses that are not here.
      OTEL_NODE_RESOURCE_DETECTORS: 'env,host,os,process',
    };
  }
  const tag = { service: 'bench', instance: 'bench/baseline/1', router: '127.0.0.1:1' };
  const whole = { ...tag, traceSecret: 'ab'.repeat(32), header: 'x-lane', reusePort: true };
  const hosts = { 'pricing:*': '127.0.0.1:1' };
  const telemetry = contender === 'reports' ? { telemetry: address } : {};
  return tagEnvironment({ ...whole, hosts, ...telemetry });
}

async function start(contender: Contender, places: Places): Promise<Running> {
  const began = performance.now();
  const own = { PATH: process.env.PATH, BACKEND_PORT: String(places.backend) };
  const env = { ...own, ...environmentOf(contender, places) };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  return { child, port: JSON.parse(line).port, startMs: performance.now() - began };
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const startAll = (places: Places): Promise<By<Running>> => byContender((one) => start(one, places));

/** One after the other. */
async function byContender<Value>(make: (one: Contender) => Promise<Value>): Promise<By<Value>> {
  const made: Partial<By<Value>> = {};
  for (const one of contenders) made[one] = await make(one);
  return made as By<Value>;
}

async function measureStarts(places: Places, say: Say): Promise<By<number[]>> {
  const taken: By<number[]> = { nothing: [], tagging: [], reports: [], OpenTelemetry: [] };
  for (let round = 0; round <= starts; round++) {
    if (round % 5 === 0) say(`start ${round} of ${starts}`);
    for (const one of contenders) {
      const { child, startMs } = await start(one, places);
      await stop(child);
      // The first of each finds its files on the disk.
      if (round > 0) taken[one].push(startMs);
    }
  }
  return taken;
}

async function measureMemory(backend: number, say: Say): Promise<By<number[]>> {
  // Of its own: what ends without a word has not told of everything.
  const { server } = await openReceiver();
  const taken: By<number[]> = { nothing: [], tagging: [], reports: [], OpenTelemetry: [] };
  for (let round = 1; round <= memoryStarts; round++) {
    say(`memory: start ${round} of ${memoryStarts}`);
    for (const one of contenders) {
      const { child, port } = await start(one, { backend, receiver: portOf(server) });
      for (const [way, count] of Object.entries(memoryRequests)) {
        for (let sent = 0; sent < count; sent++) await check(way, port);
      }
      taken[one].push((await usageOf(port)).bytes);
      await stop(child);
    }
  }
  server.closeAllConnections();
  server.close();
  return taken;
}

async function warmUp(running: By<Running>, say: Say): Promise<void> {
  for (const one of contenders) {
    say(`warming up: ${one}`);
    for (let sent = 0; sent < warmUps; sent++) await check('/plain', running[one].port);
    for (let sent = 0; sent < warmUps / 10; sent++) await check('/http', running[one].port);
  }
  asked = warmUps * 1.1;
}

async function measureWay(way: string, running: By<Running>, say: Say): Promise<By<number[]>> {
  const taken: By<number[]> = { nothing: [], tagging: [], reports: [], OpenTelemetry: [] };
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 0) say(`${way.slice(1)}: round ${round} of ${rounds}`);
    // Whoever comes second finds the machine as the first left it: they take turns at that, too.
    const order = round % 2 === 0 ? contenders : contenders.toReversed();
    for (const one of order) taken[one].push(await measureRound(way, running[one].port));
  }
  asked += rounds * requestsPerRound;
  return taken;
}

async function measureRound(way: string, port: number): Promise<number> {
  const before = await usageOf(port);
  for (let sent = 0; sent < requestsPerRound; sent++) await check(way, port);
  const after = await usageOf(port);
  return (after.cpuMicros - before.cpuMicros) / requestsPerRound;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function check(way: string, port: number): Promise<void> {
  const text = await ask(way, port);
  const wanted = way === '/plain' ? '{"id":7,"items":["a","b","c"],"total":12.5}' : 'answer';
  if (text !== wanted) throw new Error(`${way} answered ${text}`);
}

async function usageOf(port: number): Promise<Usage> {
  return JSON.parse(await ask('/usage', port)) as Usage;
}

async function ask(path: string, port: number): Promise<string> {
  const [answer] = await once(get({ port, host: '127.0.0.1', path, agent }), 'response');
  return Buffer.concat(await answer.toArray()).toString();
}
