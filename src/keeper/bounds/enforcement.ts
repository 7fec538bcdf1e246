import type { Log } from '../../kernel/index.ts';
import type { ChildRecord } from '../children/child.ts';
import type { Roster } from '../children/roster.ts';
import { signalProcess } from '../children/signals.ts';
import type { Supervision } from '../children/supervision.ts';
import { listMarked, listTree } from '../strays/processes.ts';
import { boundedBy, type ProcessBounds } from './bounds.ts';
import { memoryKills } from './cgroup.ts';
import { cpuMsOf, residentBytes, useOf, writtenBytes } from './use.ts';

export interface EnforcementDeps {
  readonly keeper: string;
  readonly roster: Roster;
  readonly log: Log;
}

const megabyte = 1024 * 1024;
export const lookMsEvery = 250;

/** Sees to the bounds that the machine does not see to by itself. */
export class Enforcement {
  readonly #deps: EnforcementDeps;
  readonly #cpuMs = new Map<number, number>();
  readonly #debtMs = new Map<string, number>();
  #lookedAtMs = performance.now();

  constructor(deps: EnforcementDeps) {
    this.#deps = deps;
  }

  look(): void {
    const elapsedMs = performance.now() - this.#lookedAtMs;
    this.#lookedAtMs = performance.now();
    const bounded = this.#deps.roster.running.filter(
      (child) => !child.isEnding && isBounded(child.record),
    );
    // A look at every process of the machine, only where it does not do the work itself.
    const isMeasured = bounded.some(
      ({ record }) => !isConfined(record) && boundedBy(measuredBounds(record)).length > 0,
    );
    const marked = isMeasured ? listMarked(this.#deps.keeper) : [];
    const present = bounded.map((child) => {
      const { instance, pid } = child.record;
      const ours = marked.filter(({ mark }) => mark.instance === instance);
      const pids = isConfined(child.record) ? listTree(pid) : ours.map((one) => one.pid);
      this.#hold(child, pids, elapsedMs);
      return { instance, pids };
    });
    this.#forget(present);
  }

  #hold(child: Supervision, pids: readonly number[], elapsedMs: number): void {
    const { record } = child;
    const measured = measuredBounds(record);
    const over = overWhich(measured, pids, record.cgroups);
    if (over) {
      this.#deps.log('warn', 'child-over-bounds', { name: record.name, pid: record.pid, over });
      void child.end(over);
    } else if (measured.cpu !== null) {
      this.#slowDown(record.instance, pids, measured.cpu * elapsedMs);
    }
  }

  /** What it used too much of is paid with standing still, so that on average it keeps to it. */
  #slowDown(instance: string, pids: readonly number[], earnedMs: number): void {
    const usedMs = pids.reduce((total, pid) => total + this.#newlyUsedMs(pid), 0);
    const before = this.#debtMs.get(instance) ?? 0;
    const debtMs = Math.max(0, before + usedMs - earnedMs);
    this.#debtMs.set(instance, debtMs);
    if (debtMs > 0) for (const pid of pids) signalProcess(pid, 'SIGSTOP');
    else if (before > 0) goOn(pids);
  }

  #newlyUsedMs(pid: number): number {
    const now = cpuMsOf(pid);
    const before = this.#cpuMs.get(pid) ?? now;
    this.#cpuMs.set(pid, now);
    return now - before;
  }

  #forget(present: readonly { instance: string; pids: readonly number[] }[]): void {
    const pids = new Set(present.flatMap((child) => child.pids));
    const instances = new Set(present.map(({ instance }) => instance));
    for (const pid of this.#cpuMs.keys()) if (!pids.has(pid)) this.#cpuMs.delete(pid);
    for (const instance of this.#debtMs.keys()) {
      if (!instances.has(instance)) this.#debtMs.delete(instance);
    }
  }
}

function isBounded({ bounds }: ChildRecord): boolean {
  return boundedBy(bounds).length > 0 || (bounds?.diskMb ?? null) !== null;
}

/**
 * Only a confined child has a bound of its disk. All that it started is below it, since the first
 * process of its namespace adopts what loses its parent.
 */
function isConfined({ bounds }: ChildRecord): boolean {
  return (bounds?.diskMb ?? null) !== null;
}

/** Those that the machine does not see to. */
export function measuredBounds({ bounds, heldByMachine }: ChildRecord): ProcessBounds {
  const held = Object.fromEntries(heldByMachine.map((name) => [name, null]));
  return { ...none, ...bounds, ...held };
}

const none: ProcessBounds = { memoryMb: null, cpu: null, processes: null, diskMb: null };

export function goOn(pids: readonly number[]): void {
  for (const pid of pids) signalProcess(pid, 'SIGCONT');
}

function overWhich(
  { memoryMb, processes, diskMb }: ProcessBounds,
  pids: readonly number[],
  cgroups: readonly string[],
): 'over-memory' | 'over-processes' | 'over-disk' | undefined {
  if (memoryKills(cgroups) > 0) return 'over-memory';
  if (processes !== null && pids.length > processes) return 'over-processes';
  if (diskMb !== null && writtenBytes(pids) > diskMb * megabyte) return 'over-disk';
  if (memoryMb === null || residentBytes(pids) <= memoryMb * megabyte) return undefined;
  return useOf(pids).memoryBytes > memoryMb * megabyte ? 'over-memory' : undefined;
}
