import { setTimeout as delay } from 'node:timers/promises';
import type { Instant, Log } from '../../kernel/index.ts';
import type { KeeperState } from '../state-file.ts';
import { isThisBoot, readMark, readStat } from '../strays/processes.ts';
import { type ChildRecord, exited, isSameProcess } from './child.ts';
import type { ProcessEnd } from './launch.ts';

/**
 * The children that an earlier keeper left behind, as they are now: those still there stay
 * `running`, the others are `lost`, or `rebooted` with everything else. The lease timer notices a
 * lease that ended meanwhile.
 */
export function recoverChildren(state: KeeperState, now: Instant, log: Log): ChildRecord[] {
  const isSameBoot = isThisBoot(state.boot);
  const reason = isSameBoot || state.boot === '' ? 'lost' : 'rebooted';
  return state.children.map((record) => {
    if (record.state === 'exited') return withoutRestart(record, reason);
    const { name, pid } = record;
    if (isSameProcess(record, { stat: readStat(pid), mark: readMark(pid), isSameBoot })) {
      log('info', 'child-adopted', { name, pid });
      return record;
    }
    log('warn', 'child-lost', { name, pid, reason });
    return exited(record, { code: null, signal: null, reason, at: now });
  });
}

/**
 * One that waited for its restart is lost as well: its environment, which may hold secrets, was
 * known to the last keeper alone.
 */
function withoutRestart(record: ChildRecord, reason: 'lost' | 'rebooted'): ChildRecord {
  if (record.restartAt === null || record.exit === null) return record;
  return { ...record, restartAt: null, exit: { ...record.exit, reason } };
}

const lookMsEvery = 100;

/** The kernel does not report the exit of another process's child, and its exit code is unknown. */
export async function watchAdopted({ pid, startTicks }: ChildRecord): Promise<ProcessEnd> {
  for (;;) {
    const stat = readStat(pid);
    if (!stat || stat.isZombie || stat.startTicks !== startTicks) {
      return { code: null, signal: null, reason: 'exited' };
    }
    await delay(lookMsEvery);
  }
}
