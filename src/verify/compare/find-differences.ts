import { setImmediate as turn } from 'node:timers/promises';
import { findCallChanges } from './calls.ts';
import { orderByCause } from './causal-order.ts';
import { contractLooks } from './contract.ts';
import type { Difference, Look } from './difference.ts';
import { findNewErrors } from './errors.ts';
import type { Recordings } from './recording.ts';
import { findSecurityChanges } from './security.ts';
import { findStatusChanges } from './status.ts';
import { findWriteChanges } from './writes.ts';

/** What is compared, who is changed, and what somebody said is no finding. */
export interface Comparison {
  readonly recordings: Recordings;
  readonly changed: readonly string[];
  readonly isDisputed: (difference: Difference) => boolean;
}

/**
 * Pure: everything that a candidate does otherwise, the most causal first. What is disputed is
 * told, and excuses nothing: what it would explain is held against the change by itself.
 */
export function findDifferences(
  recordings: Recordings,
  changed: readonly string[],
  isDisputed: Comparison['isDisputed'] = () => false,
): Difference[] {
  const found = looksAt(recordings).flatMap((look) => look());
  return inOrder(found, { recordings, changed, isDisputed });
}

/** The same, one look at a time: whoever else asks the daemon something is answered meanwhile. */
export async function findInTurns(comparison: Comparison): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const look of looksAt(comparison.recordings)) {
    // Before it: what led here has taken a while already.
    await turn();
    found.push(...look());
  }
  return inOrder(found, comparison);
}

function looksAt(recordings: Recordings): Look[] {
  return [
    () => findSecurityChanges(recordings),
    ...contractLooks(recordings),
    () => findCallChanges(recordings),
    () => findWriteChanges(recordings),
    () => findNewErrors(recordings),
    () => findStatusChanges(recordings),
  ];
}

function inOrder(
  found: readonly Difference[],
  { recordings, changed, isDisputed }: Comparison,
): Difference[] {
  const told = found.map(
    (one): Difference => (isDisputed(one) ? { ...one, severity: 'notice' } : one),
  );
  return orderByCause(told, recordings, changed);
}
