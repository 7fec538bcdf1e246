import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isListening } from '../../tests/harness/systems/lane-system.ts';
import { type TinyLane, TinySystem } from '../../tests/harness/systems/tiny-system.ts';
import { atMost, type BenchResult, quantile, type Say } from '../bench.ts';

const lanesCount = 20;

/**
 * How long after its end something of a lane is left, with the daemon killed: stubborn processes,
 * their detached children, ports, checkouts, and the answer of the router to its key.
 */
export async function measureEnding(say: Say): Promise<BenchResult> {
  await using system = await TinySystem.start();
  say(`opening ${lanesCount} lanes`);
  const lanes = await system.openMany(lanesCount, { stubborn: true });
  const client = system.workspace.client();
  const ends = await Promise.all(
    lanes.map(async ({ lane: { lane } }) => {
      const body = { ttlMs: 4_000 };
      const path = { lane };
      return (await client.call('POST /v1/lanes/{lane}/extend', { path, body })).lane.expiresAt;
    }),
  );
  const { daemon } = await client.call('GET /v1/status', {}).then(({ pid }) => ({ daemon: pid }));
  process.kill(daemon, 'SIGKILL');
  say('waiting for their end');
  const gone = await endsOf(system, lanes);
  const late = gone.map((at, index) => at - (ends[index] ?? 0));
  await system.workspace.up();
  const [worst, usual] = [quantile(late, 0.99), quantile(late, 0.5)];
  const what = 'after the end of a lane until nothing of it is left, p99, daemon killed';
  return {
    bars: [atMost('lanes.ending', what, Math.round(worst), 1_000, 'ms')],
    rows: [
      {
        contender: `${lanesCount} stubborn lanes, without daemon`,
        'ms, median': Math.round(usual),
        'ms, p99': Math.round(worst),
      },
    ],
  };
}

/** When each was seen to be gone. One look at the machine serves all: looking is work, too. */
async function endsOf(system: TinySystem, lanes: readonly TinyLane[]): Promise<number[]> {
  const gone = new Map<TinyLane, number>();
  while (gone.size < lanes.length) {
    const marks = marksOf(system);
    const candidates = lanes.filter((lane) => !gone.has(lane) && !isLeft(system, lane, marks));
    const at = performance.timeOrigin + performance.now();
    const answers = await Promise.all(candidates.map((lane) => system.through(lane)));
    candidates.forEach((lane, index) => {
      if (answers[index]?.startsWith('refused')) gone.set(lane, at);
    });
    await delay(25);
  }
  return lanes.map((lane) => gone.get(lane) ?? Number.NaN);
}

function marksOf({ workspace }: TinySystem): string {
  return workspace.processes().map(environmentOf).join('\n');
}

function isLeft(
  { workspace }: TinySystem,
  { lane: { lane, candidates } }: TinyLane,
  marks: string,
): boolean {
  return (
    marks.includes(`/${lane}.`) ||
    existsSync(join(workspace.place.trees, lane)) ||
    candidates.some(({ port }) => isListening(port))
  );
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
