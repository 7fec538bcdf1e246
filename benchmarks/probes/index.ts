import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createClock, createIdentifiers, systemRandom } from '../../src/kernel/index.ts';
import {
  type ActiveProbe,
  createNodeInstrumenter,
  ProcessPool,
  placeProbe,
} from '../../src/probes/index.ts';
import type { Bar, Benchmark, BenchResult, Row, Say } from '../bench.ts';

const program = fileURLToPath(new URL('service.mjs', import.meta.url));
const requests = 8_000;
const rounds = 3;
const concurrency = 8;

const clock = createClock();
const deps = {
  clock,
  makeIdentifier: createIdentifiers(clock, systemRandom),
  processes: new ProcessPool([createNodeInstrumenter(clock)]),
};

/** `SURETY_BENCH_NODES=/path/to/node,…` measures other versions of Node, too. */
export const benchmark: Benchmark = {
  title: 'Probes in a busy service: CPU time of its process, by phases in turn',
  parts: {
    async cost(say) {
      const nodes = process.env.SURETY_BENCH_NODES?.split(',') ?? [process.execPath];
      const measured: BenchResult[] = [];
      for (const node of nodes) measured.push(await measureNode(node, say));
      return {
        bars: measured.flatMap(({ bars }) => bars),
        rows: measured.flatMap(({ rows }) => rows),
      };
    },
  },
};

interface Phase {
  readonly cpuUs: number;
  readonly p999Ms: number;
  readonly captures: number;
  readonly seconds: number;
}

type Place = () => Promise<ActiveProbe>;

async function measureNode(node: string, say: Say): Promise<BenchResult> {
  const child = spawn(node, [program], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const port = Number((await once(child.stdout, 'data'))[0]);
    return await measurePhases(child, port, say);
  } finally {
    child.kill('SIGKILL');
  }
}

async function measurePhases(child: ChildProcess, port: number, say: Say): Promise<BenchResult> {
  const pids = [child.pid as number];
  const base = { pids, file: 'probes/service.mjs', function: 'price' };
  const places: Readonly<Record<string, Place | undefined>> = {
    none: undefined,
    log: () =>
      placeProbe(
        { ...base, template: 'amount={order.amount} order={order.id}', hitsMax: 1e5 },
        deps,
      ),
    condition: () =>
      placeProbe(
        { ...base, kind: 'counter', condition: 'order.count === 500', hitsMax: 1e5 },
        deps,
      ),
    removed: undefined,
  };
  const phases = new Map<string, Phase[]>();
  await drive(port, 'warm up', undefined);
  let version = '';
  for (let round = 0; round < rounds; round++) {
    for (const [name, place] of Object.entries(places)) {
      const probe = await place?.();
      version = probe?.instances()[0]?.runtime ?? version;
      const phase = await drive(port, name, probe);
      const end = await probe?.remove();
      const seen = end?.certificate.instances[0]?.summary?.evaluated;
      // A probe that saw nothing must not look cheap.
      if (seen === 0) throw new Error(`the probe of ${name} saw nothing`);
      phases.set(name, [...(phases.get(name) ?? []), phase]);
      say(`${version} ${name}: ${phase.cpuUs.toFixed(1)} µs per request`);
    }
  }
  return judge(version, phases);
}

/** Sends the same number of requests, and asks the service for its CPU time before and after. */
async function drive(port: number, name: string, probe: ActiveProbe | undefined): Promise<Phase> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const cpu = async (): Promise<number> => {
    const { user, system } = JSON.parse(await fetchText(port, '/cpu', agent));
    return user + system;
  };
  const began = performance.now();
  const before = await cpu();
  const times: number[] = [];
  let left = requests;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const at = performance.now();
      const text = await fetchText(port, '/', agent);
      if (!text.startsWith('{"total":')) throw new Error(`${name}: another answer`);
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const cpuUs = ((await cpu()) - before) / requests;
  agent.destroy();
  times.sort((one, other) => one - other);
  const captures = probe?.instances()[0]?.summary?.hits ?? 0;
  const seconds = (performance.now() - began) / 1_000;
  return { cpuUs, p999Ms: times[Math.floor(times.length * 0.999)] ?? 0, captures, seconds };
}

function fetchText(port: number, path: string, agent: Agent): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get({ port, path, agent, host: '127.0.0.1' }, (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve(text));
  }).on('error', reject);
  return promise;
}

function judge(version: string, phases: ReadonlyMap<string, readonly Phase[]>): BenchResult {
  const none = phases.get('none') ?? [];
  const row = (name: string): Row => {
    const own = phases.get(name) ?? [];
    const seconds = sum(own.map((one) => one.seconds));
    return {
      contender: `${name}, ${version}`,
      'CPU µs per request': Number(median(own.map(({ cpuUs }) => cpuUs)).toFixed(1)),
      'share of a core': `${share(own, none)} %`,
      'p99.9 ms': Number(median(own.map(({ p999Ms }) => p999Ms)).toFixed(1)),
      'captures per minute': Math.round((sum(own.map((one) => one.captures)) / seconds) * 60),
    };
  };
  const limit = (name: string, what: string): Bar => {
    const value = share(phases.get(name) ?? [], none);
    return { id: `probes.${name}`, what, value, unit: '%', bar: '≤ 3', holds: value <= 3 };
  };
  return {
    bars: [
      limit('log', `share of a core for a log on a line of every request, ${version}`),
      limit('condition', `share of a core for a condition on a line of every request, ${version}`),
      limit('removed', `share of a core after removal, ${version}`),
    ],
    rows: ['none', 'log', 'condition', 'removed'].map(row),
  };
}

/**
 * CPU time beyond that of the phase without a probe in the same round, per second: what a probe
 * costs on a machine that others use, too.
 */
function share(own: readonly Phase[], none: readonly Phase[]): number {
  const shares = own.map(({ cpuUs, seconds }, round) => {
    const beyond = cpuUs - (none[round]?.cpuUs ?? cpuUs);
    return (beyond * requests) / (seconds * 1e6);
  });
  return Number((median(shares) * 100).toFixed(1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
