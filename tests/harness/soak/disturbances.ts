import { setTimeout as delay } from 'node:timers/promises';
import type { EffectServer } from '../gate/effect-server.ts';
import { killHard } from '../kill-hard.ts';
import type { SmallDisk } from '../small-disk.ts';
import type { Workspace } from '../workspace.ts';
import type { JumpingClock } from './jumping-clock.ts';
import { findWatched, type Watched, watched } from './process-samples.ts';

/** What is disturbed. */
export interface SoakScene {
  readonly workspace: Workspace;
  readonly server: EffectServer;
  readonly clock: JumpingClock;
  /** Null where none can be mounted. */
  readonly disk: SmallDisk | null;
  readonly random: () => number;
}

type Disturb = (scene: SoakScene) => Promise<void>;

const minuteMs = 60_000;
const upMsMax = 10 * minuteMs;

/** Processes that are killed; the system has to come back by itself or by `surety up`. */
export const kills: Readonly<Record<string, Disturb>> = {
  ...Object.fromEntries(watched.map((name) => [`kill ${name}`, killing(name)])),
  'kill daemon and keeper': killing('keeper', 'daemon'),
  'kill all four': killing('keeper', 'daemon', 'router', 'telemetry'),
  'kill effect server': async ({ server, random }) => {
    await server.kill();
    await delay(random() * 1_500);
    await server.revive();
  },
};

/** What leaves every process alive. */
export const nuisances: Readonly<Record<string, Disturb>> = {
  ...Object.fromEntries(watched.map((name) => [`pause ${name}`, pausing(name)])),
  'clock forward by seconds': jumping(minuteMs),
  'clock back by seconds': jumping(-minuteMs),
  'clock forward by hours': jumping(180 * minuteMs),
  'clock back by hours': jumping(-180 * minuteMs),
  'fill disk': async ({ disk, random }) => {
    if (!disk) return;
    disk.fill(Math.floor(random() * 400) * 1_024);
    await delay(500 + random() * 3_500);
    disk.free();
  },
};

function killing(...names: readonly Watched[]): Disturb {
  return async ({ workspace }) => {
    const found = findWatched(workspace.processes());
    const pids = names.flatMap((name) => found[name] ?? []);
    await Promise.all(pids.map((pid) => killHard(pid).catch(() => undefined)));
    await bringUp(workspace);
  };
}

function pausing(name: Watched): Disturb {
  return async ({ workspace, random }) => {
    const pid = findWatched(workspace.processes())[name];
    if (pid === undefined) return;
    signal(pid, 'SIGSTOP');
    await delay(200 + random() * 5_000);
    signal(pid, 'SIGCONT');
  };
}

function jumping(byMsMax: number): Disturb {
  return async ({ clock, random }) => clock.jump(Math.round(random() * byMsMax));
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** As a person does it: again until it runs. */
export async function bringUp(workspace: Workspace): Promise<void> {
  const deadline = performance.now() + upMsMax;
  for (;;) {
    const { code, value } = await workspace.surety('up').catch((error) => ({
      code: 1,
      value: { error: String(error) },
    }));
    if (code === 0) return;
    if (performance.now() > deadline) throw new Error(`no start: ${JSON.stringify(value)}`);
    await delay(500);
  }
}
