import { readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';

/** What the processes of one instance have used so far, since somebody first looked or before. */
export interface MeterReading {
  /** On a CPU, of all threads: the kernel's own account, whatever language it is written in. */
  readonly cpuNs: number;
  readonly residentBytes: number;
  /** Those that it has now. */
  readonly pids: readonly number[];
}

/** Of several instances, in the order in which they were asked for. */
export interface Meter {
  read(): readonly MeterReading[];
}

const pageBytes = 4_096;
/** New children are rare, and looking for them costs as much as reading. */
const lookEveryMs = 250;

export function meterProcesses(pids: readonly number[]): Meter {
  const meters = pids.map((pid) => new InstanceMeter(pid));
  return { read: () => meters.map((meter) => meter.read()) };
}

/** Counts on where a thread has ended: what it used does not come back. */
class InstanceMeter {
  readonly #root: number;
  readonly #threads = new Map<string, number>();
  #pids: readonly number[];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #cpuNs = 0;

  constructor(pid: number) {
    this.#root = pid;
    this.#pids = [pid];
  }

  read(): MeterReading {
    this.#look();
    for (const pid of this.#pids) for (const task of tasksOf(pid)) this.#count(pid, task);
    const pages = this.#pids.map((pid) => Number(readProc(`${pid}/statm`).split(' ')[1] ?? 0));
    return { cpuNs: this.#cpuNs, residentBytes: sum(pages) * pageBytes, pids: this.#pids };
  }

  #count(pid: number, task: string): void {
    const [ns = ''] = readProc(`${pid}/task/${task}/schedstat`).split(' ');
    if (ns === '') return;
    const known = this.#threads.get(task) ?? 0;
    this.#cpuNs += Math.max(0, Number(ns) - known);
    this.#threads.set(task, Number(ns));
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    this.#pids = withChildren(this.#root);
  }
}

function withChildren(pid: number): number[] {
  const lists = tasksOf(pid).map((task) => readProc(`${pid}/task/${task}/children`));
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [pid, ...children.flatMap(withChildren)];
}

function tasksOf(pid: number): string[] {
  // It has ended.
  return tryOr(() => readdirSync(`/proc/${pid}/task`), []);
}

function readProc(path: string): string {
  return tryOr(() => readFileSync(`/proc/${path}`, 'latin1'), '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
