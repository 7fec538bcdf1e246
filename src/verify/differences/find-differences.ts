import { findCallChanges } from './calls.ts';
import { orderByCause } from './causal-order.ts';
import { findContractDrift } from './contract.ts';
import type { Difference } from './difference.ts';
import { findNewErrors } from './errors.ts';
import type { Recordings } from './recording.ts';
import { findSecurityChanges } from './security.ts';
import { findStatusChanges } from './status.ts';
import { findWriteChanges } from './writes.ts';

/**
 * Pure: everything that a candidate does otherwise, the most causal first. What is disputed is
 * told, and excuses nothing: what it would explain is held against the change by itself.
 */
export function findDifferences(
  recordings: Recordings,
  changed: readonly string[],
  isDisputed: (difference: Difference) => boolean = () => false,
): Difference[] {
  const differences = [
    ...findSecurityChanges(recordings),
    ...findContractDrift(recordings),
    ...findCallChanges(recordings),
    ...findWriteChanges(recordings),
    ...findNewErrors(recordings),
    ...findStatusChanges(recordings),
  ].map((one): Difference => (isDisputed(one) ? { ...one, severity: 'notice' } : one));
  return orderByCause(differences, recordings, changed);
}
