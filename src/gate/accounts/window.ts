import type { Instant } from '../../kernel/index.ts';
import { addSpent } from './amount.ts';

/** The amount spent in one part of a window. `index` counts parts since the epoch. */
export type WindowPart = readonly [index: number, amount: number];

/** With twenty parts, capacity returns at most 5 % of the window late and never early. */
export const partsPerWindow = 20;

function partAt(perMs: number, at: Instant): number {
  return Math.floor((at * partsPerWindow) / perMs);
}

/** A part counts in full until its last moment has left the window. */
function counts(perMs: number, now: Instant): (part: WindowPart) => boolean {
  const oldest = partAt(perMs, now) - partsPerWindow;
  return ([index]) => index >= oldest;
}

export function used(parts: readonly WindowPart[], perMs: number, now: Instant): number {
  return parts.filter(counts(perMs, now)).reduce((sum, [, amount]) => addSpent(sum, amount), 0);
}

/** Drops expired parts, so that a row never holds more than 21. */
export function add(
  parts: readonly WindowPart[],
  perMs: number,
  at: Instant,
  amount: number,
): WindowPart[] {
  const index = partAt(perMs, at);
  const kept = parts.filter(counts(perMs, at));
  if (amount === 0) return kept;
  const there = kept.find((part) => part[0] === index)?.[1] ?? 0;
  const others = kept.filter((part) => part[0] !== index);
  return [...others, [index, addSpent(there, amount)] as const].sort(([a], [b]) => a - b);
}

/** When `wanted` will fit if nothing else is spent; null if it never will. */
export function returnsAt(
  parts: readonly WindowPart[],
  perMs: number,
  limit: number,
  wanted: number,
  now: Instant,
): Instant | null {
  if (wanted > limit) return null;
  const counted = parts.filter(counts(perMs, now));
  let rest = used(counted, perMs, now);
  let at = now;
  for (const [index, amount] of counted) {
    if (rest <= limit - wanted) break;
    rest -= amount;
    at = Math.ceil(((index + partsPerWindow + 1) * perMs) / partsPerWindow);
  }
  return at;
}
