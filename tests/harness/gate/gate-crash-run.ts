import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../../src/kernel/index.ts';
import { seeded } from '../seeded.ts';
import type { EffectServer } from './effect-server.ts';
import { problemsOf } from './gate-check.ts';
import type { CrashPoint } from './gate-crash-point.ts';
import { type GatePlace, openGateAt, openReaderAt } from './gate-place.ts';
import { crashPolicy, plan, type Wish } from './gate-plan.ts';
import type { GateJob } from './gate-process.ts';
import { startGate } from './gate-start.ts';
import { type Told, work } from './gate-work.ts';

export interface CrashRun {
  readonly seed: number;
  /** Where it was killed, once or twice; a point that was never reached is not here. */
  readonly killed: readonly string[];
  readonly told: number;
  readonly problems: readonly string[];
}

/** Every step of a proposal's life, each as its entry or its call; the seed says which time. */
const steps = [
  'proposal-granted',
  'POST /effects',
  'proposal-committed',
  'proposal-failed',
  'proposal-unknown',
  'recovery-stepped',
  'GET /effects/{key}',
  'proposal-reconciled',
  'POST /effects/{key}/cancel',
  'proposal-compensated',
  'proposal-held',
  'approval-given',
  'proposal-executing',
  'proposal-denied',
  'task-opened',
  'task-split',
];
const moments = ['before', 'during', 'after'] as const;

export const crashPoints: readonly Omit<CrashPoint, 'nth'>[] = steps.flatMap((of) =>
  moments.map((at) => ({ at, of })),
);

/** Killed at the point of its seed, every third one a second time while it puts things right. */
export async function runCrash(
  seed: number,
  server: EffectServer,
  postgresUrl?: string,
): Promise<CrashRun> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-crash-'));
  const place: GatePlace = {
    directory,
    executor: 'here',
    ...(postgresUrl === undefined ? {} : { postgresUrl }),
  };
  try {
    const random = seeded(seed);
    const told: Told[] = [];
    const killed: string[] = [];
    for (const crash of crashesOf(seed, random)) {
      await crashOnce({ place, seed, effectsUrl: server.url, crash }, told, killed);
    }
    if (seed % 2 === 1) await lookInVain(place);
    await finish(place, plan(seed), server.url, told);
    const reader = await openReaderAt(place);
    const found = { wishes: plan(seed), told, effects: await ownCounts(server, reader) };
    const problems = await problemsOf(reader, found).finally(() => reader.close());
    return { seed, killed, told: told.length, problems };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function crashesOf(seed: number, random: () => number): CrashPoint[] {
  const point = crashPoints[seed % crashPoints.length] as CrashPoint;
  const isSeldom = /cancel|compensated|task-|failed|held|executing/.test(point.of);
  const first = { ...point, nth: isSeldom ? 1 : 1 + Math.floor(random() * 3) };
  if (seed % 3 !== 0) return [first];
  const next = crashPoints[Math.floor(random() * 30)] as CrashPoint;
  return [first, { ...next, nth: 1 + Math.floor(random() * 2) }];
}

async function crashOnce(job: GateJob, told: Told[], killed: string[]): Promise<void> {
  const { said, signal, code, errors } = await startGate(job).ended;
  for (const line of said) {
    if (line.told) told.push(line.told);
    if (line.killed) killed.push(line.killed);
    if (line.trouble) throw new Error(line.trouble);
  }
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`it ended with ${code}: ${errors}`);
}

/** The next start while nobody answers at the effect server's address: nothing may be given up. */
async function lookInVain(place: GatePlace): Promise<void> {
  const environment = { EFFECTS_URL: 'http://127.0.0.1:9' };
  const gate = await openGateAt(place, { policy: crashPolicy(), environment });
  try {
    await gate.recoverInterrupted();
    await gate.maintain((error) => {
      throw error;
    });
  } finally {
    await gate.close();
  }
}

const longerThanAnyGrantMs = 60 * 60 * 1_000;

/** The next start: settles what was left open, then everybody asks again. */
export async function finish(
  place: GatePlace,
  wishes: readonly Wish[],
  effectsUrl: string,
  told: Told[],
): Promise<void> {
  let aheadMs = 0;
  const real = createClock();
  const clock = {
    now: () => real.now() + aheadMs,
    keepAfter: (instant: number) => real.keepAfter(instant - aheadMs),
    aheadMs: () => real.aheadMs(),
  };
  const environment = { EFFECTS_URL: effectsUrl };
  const gate = await openGateAt(place, { policy: crashPolicy(), environment, clock });
  const look = (): Promise<void> =>
    gate.maintain((error) => {
      throw error;
    });
  try {
    await gate.recoverInterrupted();
    await look();
    // An executor outside that was killed will never report.
    aheadMs = longerThanAnyGrantMs;
    await look();
    await work(gate, wishes, effectsUrl, (one) => told.push(one));
    await look();
  } finally {
    await gate.close();
  }
}

/** The server is shared: only the keys of this ledger count. */
async function ownCounts(
  server: EffectServer,
  reader: Awaited<ReturnType<typeof openReaderAt>>,
): Promise<Record<string, number>> {
  const own = new Set<string>();
  for await (const page of reader.scanRows('idempotency/')) {
    for (const { key } of page) own.add(key.slice('idempotency/'.length));
  }
  // What those who were killed have sent may still be on its way.
  const all = Object.entries(await server.settledCounts());
  return Object.fromEntries(all.filter(([key]) => own.has(key.replace(/^cancel:/, ''))));
}
