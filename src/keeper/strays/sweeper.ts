import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../kernel/index.ts';
import { signalProcess } from '../children/signals.ts';
import type { MarkedProcess } from './processes.ts';

export interface Sweeper {
  /** Kills what carries the mark of `instance`, until nothing does. Never rejects. */
  clear(instance: string): Promise<void>;
}

interface Sweep {
  passes: number;
  cleanPasses: number;
  readonly done: PromiseWithResolvers<void>;
}

const passMsEvery = 20;
/** About a second; only a process stuck inside the operating system lasts that long. */
const passesMax = 50;
/** While a process loads a new program its environment reads as empty; hardly for two passes. */
const cleanPassesWanted = 2;

/** All sweeps share each look at /proc, so that ending 500 children costs hardly more than one. */
export function createSweeper(list: () => readonly MarkedProcess[], log: Log): Sweeper {
  const sweeps = new Map<string, Sweep>();
  let isSweeping = false;

  async function sweepUntilClear(): Promise<void> {
    isSweeping = true;
    while (sweeps.size > 0) {
      pass();
      await delay(passMsEvery);
    }
    isSweeping = false;
  }

  function pass(): void {
    const found = Map.groupBy(list(), ({ mark }) => mark.instance);
    for (const [instance, sweep] of sweeps) {
      const left = found.get(instance) ?? [];
      kill(left, log);
      if (!isOver(sweep, left)) continue;
      sweeps.delete(instance);
      sweep.done.resolve();
      if (left.length > 0) log('error', 'process-resists', { pids: left.map(({ pid }) => pid) });
    }
  }

  return {
    clear(instance) {
      const sweep = sweeps.get(instance) ?? newSweep();
      sweeps.set(instance, sweep);
      if (!isSweeping) void sweepUntilClear();
      return sweep.done.promise;
    },
  };
}

function kill(processes: readonly MarkedProcess[], log: Log): void {
  for (const { pid, mark } of processes) {
    if (signalProcess(pid, 'SIGKILL')) log('info', 'process-killed', { pid, name: mark.name });
  }
}

function newSweep(): Sweep {
  return { passes: 0, cleanPasses: 0, done: Promise.withResolvers() };
}

function isOver(sweep: Sweep, left: readonly MarkedProcess[]): boolean {
  sweep.passes++;
  sweep.cleanPasses = left.length === 0 ? sweep.cleanPasses + 1 : 0;
  return sweep.cleanPasses >= cleanPassesWanted || sweep.passes >= passesMax;
}
