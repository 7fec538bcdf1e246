import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tests/harness/free-ports.ts';
import {
  git,
  makeSmallSystem,
  type SmallSystem,
} from '../../tests/harness/systems/small-system.ts';
import { atMost, type BenchResult, median, quantile, type Say } from '../bench.ts';

const rounds = 15;

/**
 * A lane of one service from the daemon's receipt of the request to its answer, beside the same
 * service started by itself from the same files. In turns: a busy machine is busy for both.
 */
export async function measureReady(say: Say): Promise<BenchResult> {
  const system = await makeSmallSystem();
  await using workspace = system.workspace;
  await workspace.up();
  await workspace.run('system', 'up');
  const cold: number[] = [];
  const lane: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`);
    const [alone, opened] = [await coldStart(workspace.root), await openLane(system, round)];
    if (round === 0) continue;
    cold.push(alone);
    lane.push(opened);
  }
  const added = lane.map((ms, index) => ms - (cold[index] ?? 0));
  const row = (contender: string, values: readonly number[]) => ({
    contender,
    'ms, median': Math.round(median(values)),
    'ms, p99': Math.round(quantile(values, 0.99)),
  });
  return {
    bars: [
      atMost(
        'lanes.ready',
        'time for a lane beyond the cold start of its service',
        median(added),
        300,
        'ms',
      ),
    ],
    rows: [row('the service by itself', cold), row('a lane with it', lane), row('added', added)],
  };
}

/** Without us: `node back.mjs`, until its port takes a connection and answers. */
async function coldStart(root: string): Promise<number> {
  const port = await freePort();
  const started = performance.now();
  const env = { ...process.env, PORT: String(port), NAME: 'back' };
  const child = spawn('/bin/sh', ['-c', 'exec node back.mjs'], { cwd: root, env });
  while (!(await answers(port))) await delay(2);
  const ms = performance.now() - started;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return ms;
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/`)).ok;
  } catch {
    return false;
  }
}

async function openLane({ workspace }: SmallSystem, round: number): Promise<number> {
  const file = join(workspace.root, 'back.mjs');
  writeFileSync(file, readFileSync(file, 'utf8').replace("'one'", `'round ${round}'`));
  const patch = git(workspace.root, 'diff');
  git(workspace.root, 'checkout', '--quiet', '--', 'back.mjs');
  const client = workspace.client();
  const started = performance.now();
  const { lane, address } = await client.call('POST /v1/lanes', { body: { patch } });
  const ms = performance.now() - started;
  const headers = { baggage: `surety-lane=${lane.lane}` };
  const answer = await (await fetch(address, { headers })).text();
  if (!answer.includes(`round ${round}`)) throw new Error(`not the lane's answer: ${answer}`);
  await client.call('POST /v1/lanes/{lane}/close', { path: { lane: lane.lane } });
  return ms;
}
