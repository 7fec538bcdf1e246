import { type Instant, type Lease, showInstant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny } from './question.ts';

export function slotKeys({ slots }: Assessment): string[] {
  return slots.map(({ resource }) => slotKey(resource));
}

/** Slots and locks are leases with a fence and an end. */
export function judgeSlots(
  { contract }: DecisionInput,
  { slots }: Assessment,
  rows: ReadRows,
  now: Instant,
  owner: string,
): { said: RuleFinding[]; leases: Lease[] } {
  const said: RuleFinding[] = [];
  const leases: Lease[] = [];
  for (const { resource, max } of slots) {
    const row = rows.get<SlotRow>(slotKey(resource));
    const ttlMs = contract?.concurrency?.leaseMs ?? (contract?.timeoutMs ?? 0) + graceMs;
    const taken = takeSlot(row, { resource, max, owner, ttlMs, reap: 'expire' }, now);
    if ('lease' in taken) leases.push(taken.lease);
    else said.push(noneFree(resource, max, taken.takenUntil));
  }
  return { said, leases };
}

/** Longer than the call's time limit, so that a holder within its limit never loses its lease. */
const graceMs = 5_000;

function noneFree(resource: string, max: number, until: Instant): RuleFinding {
  const what =
    max === 1 ? `another call holds ${resource}` : `all ${max} slots of ${resource} are in use`;
  const remedy = `Try again; one is free by ${showInstant(until)} at the latest.`;
  return deny('concurrency', what, remedy, { retryAt: until });
}
