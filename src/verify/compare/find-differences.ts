import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Dispute } from '../api-schema.ts';
import { markDisputed } from '../judge/finding-id.ts';
import { findCallChanges } from './calls.ts';
import { orderByCause } from './causal-order.ts';
import { contractSteps } from './contract.ts';
import type { ComparisonStep, Difference } from './difference.ts';
import { findNewErrors } from './errors.ts';
import type { VersionRecordings } from './recording.ts';
import { findSecurityChanges } from './security.ts';
import { findStatusChanges } from './status.ts';
import { findWriteChanges } from './writes.ts';

/** Recordings to compare, the changed services, and the disputes in force. */
interface Comparison {
  readonly recordings: VersionRecordings;
  readonly changed: readonly string[];
  readonly disputes: readonly Dispute[];
}

/** Pure: everything that a candidate does differently, the most causal first. */
export function findDifferences(
  recordings: VersionRecordings,
  changed: readonly string[],
): Difference[] {
  const found = comparisonSteps(recordings).flatMap((compare) => compare());
  return orderByCause(found, recordings, changed);
}

/** The same, one step at a time, so that the daemon answers other requests in between. */
export async function findDifferencesInSteps({
  recordings,
  changed,
  disputes,
}: Comparison): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const compare of comparisonSteps(recordings)) {
    // Before the step, not after it: the caller has already worked for a while.
    await yieldToOthers();
    found.push(...compare());
  }
  return orderByCause(markDisputed(found, disputes), recordings, changed);
}

function comparisonSteps(recordings: VersionRecordings): ComparisonStep[] {
  return [
    () => findSecurityChanges(recordings),
    ...contractSteps(recordings),
    () => findCallChanges(recordings),
    () => findWriteChanges(recordings),
    () => findNewErrors(recordings),
    () => findStatusChanges(recordings),
  ];
}
