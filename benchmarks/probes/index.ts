import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClock, createIdentifiers, systemRandom } from '../../src/kernel/index.ts';
import {
  type ActiveProbe,
  createNodeInstrumenter,
  ProcessPool,
  placeProbe,
} from '../../src/probes/index.ts';
import type { Bar, Benchmark, BenchResult, Row, Say } from '../bench.ts';
import { measureContender } from './contender.ts';
import { drive, joinResults, median, type Phase, shareOf, sum } from './drive.ts';
import { measureVersions } from './node-versions.ts';

const program = fileURLToPath(new URL('service.mjs', import.meta.url));
const rounds = 3;

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
      return joinResults(measured);
    },
    versions: measureVersions,
    contender: measureContender,
  },
};

interface ProbedPhase extends Phase {
  readonly captures: number;
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
  const phases = new Map<string, ProbedPhase[]>();
  await drive(port, 'warm up');
  let version = '';
  for (let round = 0; round < rounds; round++) {
    for (const [name, place] of Object.entries(places)) {
      const probe = await place?.();
      version = probe?.instances()[0]?.runtime ?? version;
      const driven = await drive(port, name);
      const captures = probe?.instances()[0]?.summary?.hits ?? 0;
      const phase = { ...driven, captures };
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

function judge(version: string, phases: ReadonlyMap<string, readonly ProbedPhase[]>): BenchResult {
  const none = phases.get('none') ?? [];
  const row = (name: string): Row => {
    const own = phases.get(name) ?? [];
    const seconds = sum(own.map((one) => one.seconds));
    return {
      contender: `${name}, ${version}`,
      'CPU µs per request': Number(median(own.map(({ cpuUs }) => cpuUs)).toFixed(1)),
      'share of a core': `${shareOf(own, none)} %`,
      'p99.9 ms': Number(median(own.map(({ p999Ms }) => p999Ms)).toFixed(1)),
      'captures per minute': Math.round((sum(own.map((one) => one.captures)) / seconds) * 60),
    };
  };
  const limit = (name: string, what: string): Bar => {
    const value = shareOf(phases.get(name) ?? [], none);
    const id =
      version === `node ${process.version}` ? `probes.${name}` : `probes.${name}.${version}`;
    return { id, what, value, unit: '%', bar: '≤ 3', holds: value <= 3 };
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
