import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Confinement } from '../../src/confinement/index.ts';
import { endGroup } from '../../src/kernel/index.ts';
import { meterProcesses } from '../../src/lanes/host/process-meter.ts';
import { atMost, type BenchResult, median, type Row, type Say } from '../bench.ts';

const levels = ['off', 'standard', 'strict'] as const;
type Level = (typeof levels)[number];
type By<Value> = Record<Level, Value>;

const starts = 20;
const rounds = 30;
const requestsPerRound = 1_000;
const clients = 8;

const service = `import { createServer } from 'node:http';
const answer = JSON.stringify({ list: [...Array(50).keys()] });
const server = createServer((_, response) => response.end(answer));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ms: number;
  /** Of the service, and of what confines it. */
  cpuMs(): number;
}

/** The same service at each level, in turns. */
export async function measureConfinement(say: Say): Promise<BenchResult> {
  const root = mkdtempSync(join(tmpdir(), 'surety-trust-'));
  try {
    const start = prepare(root);
    const begun = await measureStarts(start, say);
    const cpuMicros = await measureRequests(start, say);
    return resultOf(begun, cpuMicros);
  } finally {
    rmSync(root, { recursive: true });
  }
}

type Start = (level: Level) => Promise<Running>;

function prepare(root: string): Start {
  const state = join(root, '.surety');
  const directory = join(state, 'trees', 'lane');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'service.mjs'), service);
  const own = { read: [], environment: [], connect: [], state, shared: [] };
  const view = { script: 'exec node service.mjs', directory, writable: [directory], readable: [] };
  const confinements = levels.map((level) => [level, new Confinement({ ...own, level })] as const);
  const by = Object.fromEntries(confinements) as By<Confinement>;
  return async (level) => {
    const began = performance.now();
    const environment = by[level].inherited();
    const [program = '', ...words] = by[level].command({ ...view, environment });
    const options = { cwd: directory, env: environment, detached: true } as const;
    const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface(child.stdout), 'line');
    const ms = performance.now() - began;
    const meter = meterProcesses([child.pid ?? 0]);
    return { child, port: Number(line), ms, cpuMs: () => (meter.read()[0]?.cpuNs ?? 0) / 1e6 };
  };
}

async function measureStarts(start: Start, say: Say): Promise<By<{ ms: number; cpuMs: number }>> {
  const seen: By<{ ms: number[]; cpuMs: number[] }> = {
    off: { ms: [], cpuMs: [] },
    standard: { ms: [], cpuMs: [] },
    strict: { ms: [], cpuMs: [] },
  };
  for (let round = 0; round < starts; round++) {
    say(`start ${round + 1} of ${starts}`);
    for (const level of inTurn(round)) {
      const running = await start(level);
      seen[level].ms.push(running.ms);
      seen[level].cpuMs.push(running.cpuMs());
      await stop(running);
    }
  }
  return byLevel((level) => ({ ms: median(seen[level].ms), cpuMs: median(seen[level].cpuMs) }));
}

async function measureRequests(start: Start, say: Say): Promise<By<number[]>> {
  const running = { off: await start('off'), standard: await start('standard') };
  const all: By<Running> = { ...running, strict: await start('strict') };
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const cpuMicros: By<number[]> = { off: [], standard: [], strict: [] };
  for (const level of levels) await send(all[level].port, agent);
  for (let round = 0; round < rounds; round++) {
    say(`requests ${round + 1} of ${rounds}`);
    for (const level of inTurn(round)) {
      const before = all[level].cpuMs();
      await send(all[level].port, agent);
      cpuMicros[level].push(((all[level].cpuMs() - before) * 1_000) / requestsPerRound);
    }
  }
  agent.destroy();
  for (const level of levels) await stop(all[level]);
  return cpuMicros;
}

async function send(port: number, agent: Agent): Promise<void> {
  let sent = 0;
  const client = async (): Promise<void> => {
    while (sent++ < requestsPerRound) {
      const [response] = await once(get({ host: '127.0.0.1', port, agent }), 'response');
      await once(response.resume(), 'end');
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function stop({ child }: Running): Promise<void> {
  const gone = once(child, 'exit');
  endGroup(child.pid);
  await gone;
}

/** Another one is first in each round. */
function inTurn(round: number): Level[] {
  const first = round % levels.length;
  return [...levels.slice(first), ...levels.slice(0, first)];
}

function byLevel<Value>(of: (level: Level) => Value): By<Value> {
  return Object.fromEntries(levels.map((level) => [level, of(level)])) as By<Value>;
}

function resultOf(begun: By<{ ms: number; cpuMs: number }>, cpuMicros: By<number[]>): BenchResult {
  const ratio = byLevel((level) =>
    median(cpuMicros[level].map((micros, round) => micros / (cpuMicros.off[round] ?? micros))),
  );
  const rows = levels.map(
    (level): Row => ({
      contender: `confine: ${level}`,
      'ms until it listens, median': Math.round(begun[level].ms),
      'CPU ms, median': Math.round(begun[level].cpuMs),
      'CPU µs per request, median': Number(median(cpuMicros[level]).toFixed(1)),
    }),
  );
  const percent = (level: Level): number => Number(((ratio[level] - 1) * 100).toFixed(1));
  return {
    bars: (['standard', 'strict'] as const).flatMap((level) => [
      atMost(
        `trust.start-${level}`,
        `extra CPU time until a service listens, ${level}`,
        begun[level].cpuMs - begun.off.cpuMs,
        100,
        'ms',
      ),
      atMost(`trust.request-${level}`, `extra CPU per request, ${level}`, percent(level), 5, '%'),
    ]),
    rows,
  };
}
