import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  readCoverage,
  stopWatching,
  watchLines,
} from '../../src/lanes/line-coverage/coverage-files.ts';
import { tagEnvironment } from '../../src/preload/index.ts';
import { atMost, type BenchResult, median, type Say } from '../bench.ts';

const program = fileURLToPath(new URL('./coverage-service.cjs', import.meta.url));
const file = 'coverage-service.cjs';
const rounds = 40;
const requestsPerRound = 400;
const warmUps = 4_000;

const contenders = ['nothing watched', 'all lines run', 'one line never runs', 'stopped'] as const;
type Contender = (typeof contenders)[number];

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly directory: string;
}

/** What a candidate pays for recording which changed lines run. */
export async function measureCoverage(say: Say): Promise<BenchResult> {
  const root = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  const running = new Map<Contender, Running>();
  for (const one of contenders) running.set(one, await start(one, root));
  try {
    for (const [one, { port, directory }] of running) {
      say(`warming up: ${one}`);
      for (let sent = 0; sent < warmUps; sent++) await ask('/', port);
      check(one, directory);
    }
    stopWatching(running.get('stopped')?.directory ?? '');
    await delay(1_000);
    return resultOf(await measureRounds(running, say));
  } finally {
    for (const { child } of running.values()) child.kill('SIGKILL');
    rmSync(root, { recursive: true });
  }
}

async function measureRounds(
  running: ReadonlyMap<Contender, Running>,
  say: Say,
): Promise<ReadonlyMap<Contender, number[]>> {
  const taken = new Map<Contender, number[]>(contenders.map((one) => [one, []]));
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 0) say(`round ${round} of ${rounds}`);
    // Whoever comes second finds the machine as the first left it: they take turns at that, too.
    for (const one of round % 2 === 0 ? contenders : contenders.toReversed()) {
      taken.get(one)?.push(await measureRound(running.get(one)?.port ?? 0));
    }
  }
  return taken;
}

async function measureRound(port: number): Promise<number> {
  const before = Number(await ask('/usage', port));
  for (let sent = 0; sent < requestsPerRound; sent++) await ask('/', port);
  return (Number(await ask('/usage', port)) - before) / requestsPerRound;
}

function resultOf(taken: ReadonlyMap<Contender, readonly number[]>): BenchResult {
  const plain = taken.get('nothing watched') ?? [];
  const extra = (one: Contender): number => {
    const ratios = (taken.get(one) ?? []).map((micros, round) => micros / (plain[round] ?? 1));
    return (median(ratios) - 1) * 100;
  };
  return {
    bars: [
      atMost(
        'coverage.cpu',
        'extra CPU per request, all lines run',
        extra('all lines run'),
        5,
        '%',
      ),
      atMost('coverage.after', 'the same, after the rounds', extra('stopped'), 5, '%'),
    ],
    rows: contenders.map((one) => ({
      contender: `coverage: ${one}`,
      'CPU per request (µs)': Number(median(taken.get(one) ?? []).toFixed(1)),
      'more than nothing (%)': Number(extra(one).toFixed(1)),
    })),
  };
}

async function start(contender: Contender, root: string): Promise<Running> {
  const directory = join(root, contender.replaceAll(' ', '-'));
  const tag = { service: 'bench', instance: 'bench/lane_1/1', router: '127.0.0.1:1' };
  const coverage = watchLines(directory, watchedBy(contender), { top: dirname(program) });
  const env = {
    PATH: process.env.PATH,
    ...tagEnvironment(tag),
    ...(contender === 'nothing watched' ? {} : coverage),
  };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, port: Number(line), directory };
}

/** The lines of the two functions; the line that never runs is marked. */
function watchedBy(contender: Contender): Record<string, number[]> {
  const lines = readFileSync(program, 'utf8').split('\n');
  const all = lines.map((_, index) => index + 1).filter((line) => line < lines.length);
  const rare = lines.findIndex((line) => line.includes('Never runs.')) + 1;
  return { [file]: contender === 'all lines run' ? all.filter((line) => line !== rare) : all };
}

/** A recorder that recorded nothing would look fast. */
function check(contender: Contender, directory: string): void {
  const { points, executed } = readCoverage(directory, dirname(program));
  const isRight = contender === 'nothing watched' ? points.length === 0 : executed.length > 5;
  if (!isRight) throw new Error(`${contender}: ${executed.length} of ${points.length} points ran`);
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function ask(path: string, port: number): Promise<string> {
  const [response] = await once(get({ host: '127.0.0.1', port, path, agent }), 'response');
  return text(response);
}
