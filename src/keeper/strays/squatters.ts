import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type Log, tryOr } from '../../kernel/index.ts';
import { signalProcess } from '../children/signals.ts';
import { listPids, readStat } from './processes.ts';

const passMsEvery = 20;
/** About a second; only a process stuck inside the operating system lasts that long. */
const passesMax = 50;

/**
 * Ends what was left behind in directories that are about to go: some daemons hand down neither
 * mark, group nor parent, but still stand where they were started. What has a terminal or a parent
 * elsewhere is of somebody who looks around there.
 */
export async function endSquatters(directories: readonly string[], log: Log): Promise<void> {
  for (let pass = 0; pass < passesMax; pass++) {
    const found = squattersIn(directories, await lookAtPlaces());
    if (found.length === 0) return;
    for (const pid of found) {
      if (signalProcess(pid, 'SIGKILL')) log('info', 'squatter-killed', { pid });
    }
    await delay(passMsEvery);
  }
}

function squattersIn(directories: readonly string[], places: ProcessPlaces): number[] {
  const inside = new Set<number>();
  for (const [pid, place] of places) if (isWithin(place, directories)) inside.add(pid);
  return [...inside].filter((pid) => {
    const stat = readStat(pid);
    if (!stat || stat.isZombie || stat.hasTerminal) return false;
    return inside.has(stat.parent) || adoptsOrphans(stat.parent);
  });
}

type ProcessPlaces = ReadonlyMap<number, string>;
let nextLook: Promise<ProcessPlaces> | undefined;

/** All that ask in one turn share one look at /proc: a hundred lanes may end at once. */
function lookAtPlaces(): Promise<ProcessPlaces> {
  nextLook ??= nextTurn().then(() => {
    nextLook = undefined;
    return new Map(listPids().map((pid) => [pid, placeOf(pid)]));
  });
  return nextLook;
}

function isWithin(place: string, directories: readonly string[]): boolean {
  return directories.some((path) => place === path || place.startsWith(`${path}/`));
}

function placeOf(pid: number): string {
  // It ended meanwhile, or belongs to somebody else.
  return tryOr(() => readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, ''), '');
}

/** The first process of the machine, or that of a user's session. */
function adoptsOrphans(pid: number): boolean {
  if (pid <= 1) return true;
  return tryOr(() => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'systemd', true);
}
