import { setTimeout as delay } from 'node:timers/promises';
import { hasProc, listLiveGroups, readStat } from '../strays/processes.ts';

/** The first process of a group, by whose pid the group is called. */
export interface Leader {
  readonly pid: number;
  readonly startTicks: number | null;
}

/** False when no process is left to get the signal. */
export function signalGroup({ pid, startTicks }: Leader, signal: NodeJS.Signals | 0): boolean {
  const stat = readStat(pid);
  // While the group has a member its number is not given away. Somebody else there: it had none.
  if (stat && startTicks !== null && stat.startTicks !== startTicks) return false;
  return signalTo(-pid, signal);
}

export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  return signalTo(pid, signal);
}

function signalTo(target: number, signal: NodeJS.Signals | 0): boolean {
  // 0, 1 and -1 mean our own group, init, and everybody. No bug may ever come that far.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1) return false;
  try {
    return process.kill(target, signal);
  } catch (error) {
    // EPERM: the process exists but cannot be signalled (it changed its user).
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const lookMsEvery = 20;

/**
 * SIGTERM, then the grace. The whole group is waited for and not only its leader: in
 * `sh -c "server; true"` the shell dies at once, and the server still needs its time.
 */
export async function askGroupToEnd(leader: Leader, graceMs: number): Promise<void> {
  signalGroup(leader, 'SIGTERM');
  const grace = AbortSignal.timeout(graceMs);
  while (!grace.aborted && isGroupAlive(leader)) await delay(lookMsEvery);
}

/**
 * A dead member counts for the operating system until somebody takes notice, and in a container
 * without an init that may be never.
 */
function isGroupAlive(leader: Leader): boolean {
  if (!signalGroup(leader, 0)) return false;
  const stat = readStat(leader.pid);
  return !hasProc || stat?.isZombie === false || liveGroups().has(leader.pid);
}

let seenAtMs = Number.NEGATIVE_INFINITY;
let seenGroups: ReadonlySet<number> = new Set();

/** Many groups that end at the same time share one look. */
function liveGroups(): ReadonlySet<number> {
  if (performance.now() - seenAtMs >= lookMsEvery) {
    seenGroups = listLiveGroups();
    seenAtMs = performance.now();
  }
  return seenGroups;
}
