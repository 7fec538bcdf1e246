import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freshBundle } from '../../scripts/fresh-bundle.ts';
import { readDaemonFile } from '../../src/runtime/state-files.ts';
import { Workspace } from '../../tests/harness/workspace.ts';
import { workspaceVariable } from '../../tests/harness/workspace-processes.ts';
import { atMost, type Benchmark, type BenchResult, median, type Say } from '../bench.ts';

const rounds = 15;
const tickMs = 10;

export const benchmark: Benchmark = {
  title: 'time until programs have started',
  parts: { start: measureStart },
};

/** Programs start from the bundle that the package ships. In turns with an empty Node. */
async function measureStart(say: Say): Promise<BenchResult> {
  const bundle = await freshBundle();
  await using workspace = new Workspace();
  const empty: number[] = [];
  const help: number[] = [];
  const daemon: { ms: number; cpuMs: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    const [bare, shown] = [runNode('--eval', '0'), runNode(join(bundle, 'cli.js'), '--help')];
    const started = await startDaemon(join(bundle, 'runtime-daemon-main.js'), workspace);
    if (round === 0) continue;
    empty.push(bare);
    help.push(shown);
    daemon.push(started);
  }
  const added = help.map((ms, index) => ms - (empty[index] ?? 0));
  const ready = median(daemon.map(({ ms }) => ms));
  const cpu = median(daemon.map(({ cpuMs }) => cpuMs));
  const row = (contender: string, ms: number, cpuMs: number | string = '') => ({
    contender,
    'ms, median': Math.round(ms),
    'CPU ms, median': cpuMs,
  });
  return {
    bars: [
      atMost('start.daemon', 'time until a daemon serves', ready, 350, 'ms'),
      atMost('start.help', '`surety --help` beyond `node -e 0`', median(added), 60, 'ms'),
    ],
    rows: [
      row('node -e 0', median(empty)),
      row('surety --help', median(help)),
      row('daemon', ready, cpu),
    ],
  };
}

function runNode(...words: string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, words, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}`);
  return performance.now() - started;
}

/** From the start of its process until it has written its file; it is stopped again. */
async function startDaemon(
  program: string,
  { root, place }: Workspace,
): Promise<{ ms: number; cpuMs: number }> {
  const env = { ...process.env, [workspaceVariable]: root };
  const started = performance.now();
  const child = spawn(process.execPath, [program, root], { cwd: root, env, stdio: 'ignore' });
  while (readDaemonFile(place)?.pid !== child.pid) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}`);
    await delay(1);
  }
  const ms = performance.now() - started;
  const cpuMs = cpuMsOf(child.pid as number);
  child.kill();
  await once(child, 'exit');
  return { ms, cpuMs };
}

/** Of user and kernel, as the kernel counts it. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
