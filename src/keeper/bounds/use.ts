import { readFileSync } from 'node:fs';
import { tryOr } from '../../kernel/index.ts';
import { listMarked } from '../strays/processes.ts';

/** What a child and everything that it started use. */
export interface ResourceUsage {
  /** Shared pages are counted in part (PSS) where the machine tells. */
  readonly memoryBytes: number;
  /** Since the start of the running processes. */
  readonly cpuMs: number;
  readonly processes: number;
}

const pageBytes = 4_096;
const tickMs = 10;

/** By instance; one look at the machine for all of them. */
export function measureUse(keeper: string): ReadonlyMap<string, ResourceUsage> {
  const found = Map.groupBy(listMarked(keeper), ({ mark }) => mark.instance);
  const uses = [...found].map(([instance, processes]) => {
    const pids = processes.map(({ pid }) => pid);
    return [instance, useOf(pids)] as const;
  });
  return new Map(uses);
}

export function useOf(pids: readonly number[]): ResourceUsage {
  return {
    memoryBytes: sum(pids.map(memoryBytesOf)),
    cpuMs: sum(pids.map(cpuMsOf)),
    processes: pids.length,
  };
}

/** Without what is shared taken apart, which takes long: an upper bound of the memory. */
export function residentBytes(pids: readonly number[]): number {
  return sum(pids.map((pid) => Number(read(pid, 'statm').split(' ')[1] ?? 0) * pageBytes));
}

/** To disks, and not taken back before it got there. Of those that ended, their parent has it. */
export function writtenBytes(pids: readonly number[]): number {
  return sum(
    pids.map((pid) => {
      const io = read(pid, 'io');
      const count = (name: string): number =>
        Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1] ?? 0);
      return Math.max(0, count('write_bytes') - count('cancelled_write_bytes'));
    }),
  );
}

/** Those it waited for count as its own: a shell that runs one program after the other. */
export function cpuMsOf(pid: number): number {
  const stat = read(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(14 - 3, 18 - 3).map(Number);
  return sum(ticks.filter(Number.isFinite)) * tickMs;
}

function memoryBytesOf(pid: number): number {
  const shared = /^Pss:\s+(\d+) kB$/m.exec(read(pid, 'smaps_rollup'))?.[1];
  return shared === undefined ? residentBytes([pid]) : Number(shared) * 1_024;
}

function read(pid: number, file: string): string {
  // It ended meanwhile.
  return tryOr(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'), '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
