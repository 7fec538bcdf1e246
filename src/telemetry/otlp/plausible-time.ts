import { telemetryLimits } from '../limits.ts';
import type { Nanoseconds } from '../rows.ts';

/** Before 2000 nobody measured anything that could still be reported. */
const earliestNs = 946_684_800_000_000_000n;

/**
 * The units that a sender may have used by mistake. The ranges do not overlap at any plausible
 * date.
 */
const units: readonly (readonly [name: TimeRepair, ns: bigint])[] = [
  ['microseconds', 1_000n],
  ['milliseconds', 1_000_000n],
  ['seconds', 1_000_000_000n],
];

/** How an implausible time was corrected. */
export type TimeRepair = '' | 'microseconds' | 'milliseconds' | 'seconds' | 'arrival';

/** When a batch arrived, and the latest time at which its contents can have happened. */
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
 * Corrects an implausible time: it is read in the unit that the sender mistook for nanoseconds. If
 * the unit cannot be known (0, 1970, 2100), the time of arrival is used.
 */
export function repairTime(ns: bigint, arrival: ArrivalTime): { ns: bigint; repair: TimeRepair } {
  for (const [repair, factor] of units) {
    const meant = ns * factor;
    if (isPlausible(meant, arrival)) return { ns: meant, repair };
  }
  return { ns: arrival.ns, repair: 'arrival' };
}

/** The factor that converts a number in this unit to nanoseconds. */
export function factorOf(repair: TimeRepair): bigint {
  return units.find(([name]) => name === repair)?.[1] ?? 1n;
}
