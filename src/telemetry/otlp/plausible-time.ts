import { telemetryLimits } from '../limits.ts';
import type { Nanoseconds } from '../rows.ts';

/** Before 2000 nobody measured anything that could still be reported. */
const earliestNs = 946_684_800_000_000_000n;

/** What a time was mistaken for; each can be nothing else, whatever the day. */
const units: readonly (readonly [name: TimeRepair, ns: bigint])[] = [
  ['microseconds', 1_000n],
  ['milliseconds', 1_000_000n],
  ['seconds', 1_000_000_000n],
];

/** What was done to a time so that it can be one. */
export type TimeRepair = '' | 'microseconds' | 'milliseconds' | 'seconds' | 'arrival';

/** When a batch came, and until when what it says can have happened. */
export interface ArrivalTime {
  readonly ns: Nanoseconds;
  readonly latestNs: Nanoseconds;
}

export function arrivalAt(ms: number): ArrivalTime {
  const ns = BigInt(ms) * 1_000_000n;
  return { ns, latestNs: ns + BigInt(telemetryLimits.telemetrySkewMsMax) * 1_000_000n };
}

export function isPlausible(ns: bigint, { latestNs }: ArrivalTime): boolean {
  return ns >= earliestNs && ns <= latestNs;
}

/**
 * For a time that can't be: it is read in the unit that the sender has mistaken for nanoseconds;
 * when it can't be told what was meant (0, 1970, 2100), it is the time of its arrival.
 */
export function repairTime(ns: bigint, arrival: ArrivalTime): { ns: bigint; repair: TimeRepair } {
  for (const [repair, factor] of units) {
    const meant = ns * factor;
    if (isPlausible(meant, arrival)) return { ns: meant, repair };
  }
  return { ns: arrival.ns, repair: 'arrival' };
}

/** By how much a number is multiplied that was said in this unit. */
export function factorOf(repair: TimeRepair): bigint {
  return units.find(([name]) => name === repair)?.[1] ?? 1n;
}
