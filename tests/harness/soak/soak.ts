import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { projections } from '../../../src/runtime/compose/projections.ts';
import { EffectServer } from '../gate/effect-server.ts';
import { problemsOf } from '../gate/gate-check.ts';
import { crashPolicy } from '../gate/gate-plan.ts';
import { countBy, outsideMs, untilNothingIsLeft } from '../gate/recovery-campaign.ts';
import { Scratch } from '../scratch.ts';
import { seeded } from '../seeded.ts';
import { noSmallDisk, SmallDisk } from '../small-disk.ts';
import { readNotes } from '../sound-ledger.ts';
import { LaneSystem } from '../systems/lane-system.ts';
import { until } from '../until.ts';
import { bringUp, kills, nuisances, type SoakScene } from './disturbances.ts';
import { JumpingClock } from './jumping-clock.ts';
import {
  type Flatness,
  findWatched,
  judgeFlatness,
  type Sample,
  sampleOf,
  type Watched,
  watched,
} from './process-samples.ts';
import { baselineAnswer, SoakLoad } from './soak-load.ts';

export interface SoakReport {
  readonly minutes: number;
  readonly seed: number;
  /** How often each disturbance came. */
  readonly disturbances: Readonly<Record<string, number>>;
  /** Disturbances that this machine does not allow, with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly load: SoakLoad['counts'] & { readonly notes: number };
  /** Proposals that are still open or unresolved in the end. */
  readonly left: number;
  readonly use: Partial<Record<Watched, Flatness>>;
  readonly problems: readonly string[];
}

const diskBytes = 640 * 1_048_576;
const config = 'policy: POLICY\napi: { requestsPerMinute: 100000 }\ntelemetry: { enabled: true }\n';
/** In the last part nothing is killed, so that a process lives long enough to show a leak. */
const killedShare = 0.6;
const sampleEveryMs = 10_000;

/**
 * A whole system under mixed load that is killed, paused, and made to run out of disk and to jump
 * in time. In the end everything answers again, and what callers were told must be true.
 */
export async function runSoak(
  minutes: number,
  seed: number,
  tell: (line: string) => void,
): Promise<SoakReport> {
  using scratch = new Scratch();
  await using server = await EffectServer.start();
  process.env.EFFECTS_URL = server.url;
  const clock = new JumpingClock(scratch.file('clock'));
  await using disk = noSmallDisk === null ? new SmallDisk(diskBytes) : null;
  const policy = scratch.file('policy.yaml');
  writeFileSync(policy, JSON.stringify(crashPolicy(`${outsideMs}ms`)));
  await using system = await LaneSystem.start(config.replace('POLICY', policy), disk?.path);
  const random = seeded(seed);
  const scene = { workspace: system.workspace, server, clock, disk, random };
  const load = new SoakLoad(system, server.url, random);
  const counts: Record<string, number> = {};
  const totalMs = minutes * 60_000;
  await disturb(scene, { ...kills, ...nuisances }, totalMs * killedShare, counts, tell);
  const sampling = startSampling(scene);
  await disturb(scene, nuisances, totalMs * (1 - killedShare), counts, tell);
  const use = sampling.stop();
  tell('the disturbances are over');
  await bringUp(system.workspace);
  await load.stop();
  const problems = [...load.problems, ...(await problemsAtTheEnd(system))];
  const left = await untilNothingIsLeft(system.workspace);
  problems.push(...(await ledgerProblems(scene, load)));
  for (const name of watched) {
    if (!use[name]) problems.push(`${name} was not there to be measured`);
    else if (!use[name].isFlat) problems.push(`${name} uses more and more`);
  }
  return {
    ...{ minutes, seed, disturbances: counts, left: left.size, use, problems },
    leftOut: noSmallDisk === null ? {} : { 'fill disk': noSmallDisk },
    answers: countBy(load.told),
    load: { ...load.counts, notes: load.notes.size },
  };
}

async function disturb(
  scene: SoakScene,
  disturbances: typeof kills,
  durationMs: number,
  counts: Record<string, number>,
  tell: (line: string) => void,
): Promise<void> {
  const names = Object.keys(disturbances).filter((name) => scene.disk || name !== 'fill disk');
  const deadline = performance.now() + durationMs;
  while (performance.now() < deadline) {
    await delay(500 + scene.random() * 5_000);
    const name = names[Math.floor(scene.random() * names.length)] as string;
    counts[name] = (counts[name] ?? 0) + 1;
    tell(name);
    await disturbances[name]?.(scene);
  }
}

function startSampling({ workspace }: SoakScene): {
  stop(): Partial<Record<Watched, Flatness>>;
} {
  const pids = findWatched(workspace.processes());
  const samples = new Map<Watched, Sample[]>(watched.map((name) => [name, []]));
  const timer = setInterval(async () => {
    for (const name of watched) {
      const sample = pids[name] === undefined ? undefined : await sampleOf(pids[name]);
      if (sample) samples.get(name)?.push(sample);
    }
  }, sampleEveryMs);
  return {
    stop() {
      clearInterval(timer);
      const judged = watched.map((name) => [name, judgeFlatness(samples.get(name) ?? [])]);
      return Object.fromEntries(judged.filter(([, flatness]) => flatness !== undefined));
    },
  };
}

/** What does not come back by itself once nobody disturbs it any more. */
async function problemsAtTheEnd(system: LaneSystem): Promise<string[]> {
  const { workspace } = system;
  const problems: string[] = [];
  const expect = async (what: string, look: () => Promise<boolean>): Promise<void> => {
    await until(what, () => look().catch(() => false)).catch(() => problems.push(`never: ${what}`));
  };
  let last = '';
  await expect('the baseline answers', async () => {
    last = await system.baseline().catch(String);
    return last === baselineAnswer;
  });
  if (problems.length > 0) {
    const { value } = await workspace.surety('system', 'status');
    problems.push(`the baseline answered at last: ${last}`, JSON.stringify(value));
  }
  const client = workspace.client();
  for (const { lane } of (await client.call('GET /v1/lanes', {})).lanes) {
    await system.close(lane).catch(() => undefined);
  }
  await expect('no lane is open', async () => {
    return (await client.call('GET /v1/lanes', {})).lanes.length === 0;
  });
  await expect('telemetry answers', async () => {
    const sql = 'SELECT count(*) FROM requests';
    return (await client.call('POST /v1/telemetry/query', { body: { sql } })).rows.length === 1;
  });
  await expect('the ledger verifies', async () => {
    return (await workspace.surety('ledger', 'verify')).code === 0;
  });
  return problems;
}

/** What callers were told, against the ledger and the world. */
async function ledgerProblems({ workspace, server }: SoakScene, load: SoakLoad): Promise<string[]> {
  const effects = await server.settledCounts();
  const reader = await workspace.openReader();
  try {
    const { wishes, told } = load;
    const problems = await problemsOf(reader, { wishes, told, effects, jumped: true }, projections);
    const stored = await readNotes(reader);
    for (const [text, seqs] of stored) {
      if (seqs.length > 1) problems.push(`${text} is there ${seqs.length} times`);
    }
    for (const [text, seq] of load.notes) {
      if (stored.get(text)?.[0] !== seq) problems.push(`${text} was acknowledged, and is lost`);
    }
    return problems;
  } finally {
    await reader.close();
  }
}
