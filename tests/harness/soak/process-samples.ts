import { readdirSync, readFileSync } from 'node:fs';
import { tryOr } from '../../../src/kernel/index.ts';
import { heapMbOf } from './jumping-clock.ts';

export const watched = ['daemon', 'keeper', 'router', 'telemetry'] as const;
export type Watched = (typeof watched)[number];

const programOf: Readonly<Record<Watched, string>> = {
  daemon: 'runtime-daemon-main.js',
  keeper: 'keeper-main.js',
  router: 'router-main.js',
  telemetry: 'telemetry-main.js',
};

export interface Sample {
  /** What is in use after a garbage collection; what the process holds besides is the engine's. */
  readonly heapMb: number | null;
  readonly residentMb: number;
  readonly descriptors: number;
}

/** The pid of each program among these processes. */
export function findWatched(pids: readonly number[]): Partial<Record<Watched, number>> {
  const commands = pids.map((pid) => [pid, read(`/proc/${pid}/cmdline`)] as const);
  return Object.fromEntries(
    watched.flatMap((name) => {
      const found = commands.find(([, command]) => command.includes(`/${programOf[name]}\0`));
      return found ? [[name, found[0]]] : [];
    }),
  );
}

/** Undefined for a process that has ended meanwhile. */
export async function sampleOf(pid: number): Promise<Sample | undefined> {
  const heapMb = await heapMbOf(pid);
  const resident = /VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1];
  const descriptors = tryOr(() => readdirSync(`/proc/${pid}/fd`).length, 0);
  if (resident === undefined) return undefined;
  return { heapMb, residentMb: Math.round(Number(resident) / 1_024), descriptors };
}

export interface Flatness {
  readonly first: Sample;
  readonly last: Sample;
  readonly samples: number;
  readonly isFlat: boolean;
}

const growthMax = { share: 1.25, memoryMb: 16, descriptors: 12 };

/** Compares the medians of the first and the last third of what one process used. */
export function judgeFlatness(samples: readonly Sample[]): Flatness | undefined {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return undefined;
  const [first, last] = [medianOf(samples.slice(0, third)), medianOf(samples.slice(-third))];
  const isFlat =
    memoryOf(last) <= memoryOf(first) * growthMax.share + growthMax.memoryMb &&
    last.descriptors <= first.descriptors + growthMax.descriptors;
  return { first, last, samples: samples.length, isFlat };
}

const memoryOf = ({ heapMb, residentMb }: Sample): number => heapMb ?? residentMb;

function medianOf(samples: readonly Sample[]): Sample {
  const median = (of: (sample: Sample) => number): number =>
    samples.map(of).toSorted((one, other) => one - other)[Math.floor(samples.length / 2)] ?? 0;
  return {
    heapMb: samples.some(({ heapMb }) => heapMb === null)
      ? null
      : median(({ heapMb }) => heapMb ?? 0),
    residentMb: median(({ residentMb }) => residentMb),
    descriptors: median(({ descriptors }) => descriptors),
  };
}

function read(file: string): string {
  return tryOr(() => readFileSync(file, 'latin1'), '');
}
