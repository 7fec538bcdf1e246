import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { tryOr } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';

/** What a verification needs most, in the names of `/proc/pressure`. */
const resources = ['cpu', 'memory', 'io'] as const;
type Resource = (typeof resources)[number];

/** Percent of the last ten seconds in which something waited, or null where no kernel counts it. */
export type Pressure = Readonly<Record<Resource, number | null>>;

export interface Occupancy {
  /** Verifications that run now. */
  readonly running: number;
  readonly sinceLastStartMs: number;
}

/** Whether the machine has room for one more verification. */
export type HasRoom = (occupancy: Occupancy) => boolean;

export const hasRoom: HasRoom = (occupancy) =>
  isRoom(occupancy, availableParallelism(), readPressure());

/**
 * Pure. A few always run at once. More start one by one, while nothing waits for long; where the
 * kernel does not count that, as outside Linux, no more do.
 */
export function isRoom(
  { running, sinceLastStartMs }: Occupancy,
  cores: number,
  pressure: Pressure,
): boolean {
  if (running < Math.max(1, Math.floor(cores / verifyLimits.verificationCores))) return true;
  // What the last one needs is not in the figures before that.
  if (running >= cores || sinceLastStartMs < pressureMs) return false;
  return resources.every((resource) => {
    const percent = pressure[resource];
    return percent !== null && percent <= verifyLimits.verificationPressurePercentMax;
  });
}

/** The kernel's figures are means of ten seconds. */
const pressureMs = 10_000;

function readPressure(): Pressure {
  const [cpu, memory, io] = resources.map((resource) =>
    tryOr(() => parsePressure(readFileSync(`/proc/pressure/${resource}`, 'utf8')), null),
  );
  return { cpu: cpu ?? null, memory: memory ?? null, io: io ?? null };
}

/** Pure. The first line, such as `some avg10=12.34 avg60=…`. */
export function parsePressure(text: string): number | null {
  const [, percent] = /^some avg10=([\d.]+)/m.exec(text) ?? [];
  return percent === undefined ? null : Number(percent);
}
