import { type Instant, isLive, type Lease, showInstant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { lockResource, type SlotRow, slotKey, takeSlot } from '../slots/index.ts';
import type { Assessment } from './assess.ts';
import { type DecisionInput, deny } from './question.ts';

export function slotKeys(question: DecisionInput, { slots }: Assessment): string[] {
  const shown = Object.keys(fencesOf(question)).map(lockResource);
  return [...slots.map(({ resource }) => resource), ...shown].map(slotKey);
}

/** The fences that the caller shows, by the name of the lock. */
function fencesOf({ facts }: DecisionInput): Readonly<Record<string, number>> {
  return (facts.fences ?? {}) as Record<string, number>;
}

/** Slots and locks are leases with a fence and an end. */
export function judgeSlots(
  question: DecisionInput,
  { slots }: Assessment,
  rows: ReadRows,
  now: Instant,
  owner: string,
): { said: RuleFinding[]; leases: Lease[]; held: Lease[] } {
  const { contract } = question;
  const { said, held } = judgeFences(question, rows, now);
  const leases: Lease[] = [];
  for (const { resource, max } of slots) {
    const row = rows.get<SlotRow>(slotKey(resource));
    if (held.some((lease) => lease.resource === resource)) continue;
    if (contract?.concurrency?.held && resource.startsWith('lock:')) {
      said.push(notHeld(question));
      continue;
    }
    const ttlMs = contract?.concurrency?.leaseMs ?? (contract?.timeoutMs ?? 0) + graceMs;
    const taken = takeSlot(row, { resource, max, owner, ttlMs, reap: 'expire' }, now);
    if ('lease' in taken) leases.push(taken.lease);
    else said.push(noneFree(resource, max, taken.takenUntil));
  }
  return { said, leases, held };
}

/**
 * A holder that was stopped past the end of its lease still believes that it holds the lock. The
 * fence that it shows tells.
 */
function judgeFences(
  question: DecisionInput,
  rows: ReadRows,
  now: Instant,
): { said: RuleFinding[]; held: Lease[] } {
  const said: RuleFinding[] = [];
  const held: Lease[] = [];
  for (const [lock, fence] of Object.entries(fencesOf(question))) {
    const row = rows.get<SlotRow>(slotKey(lockResource(lock)));
    const lease = row?.leases.find((one) => one.fence === fence);
    const isMine = lease?.owner === question.actor || lease?.owner === question.task;
    if (lease && isMine && isLive(lease, now)) held.push(lease);
    else said.push(fenceLost(lock, fence));
  }
  return { said, held };
}

function fenceLost(lock: string, fence: number): RuleFinding {
  const what = `the lease on ${lock} with fence ${fence} has expired or has a new owner`;
  const remedy = `Take the lock again (lock.acquire), look at the state again, and propose anew.`;
  return deny('fence', what, remedy);
}

function notHeld({ tool }: DecisionInput): RuleFinding {
  const what = `${tool} needs a lock that the caller holds, and no fence of it was shown`;
  const remedy = 'Take the lock with lock.acquire, and name it with its fence under fences.';
  return deny('fence', what, remedy);
}

/** Longer than the call's time limit, so that a holder within its limit never loses its lease. */
const graceMs = 5_000;

function noneFree(resource: string, max: number, until: Instant): RuleFinding {
  const what =
    max === 1 ? `another call holds ${resource}` : `all ${max} slots of ${resource} are in use`;
  const remedy = `Try again; one is free by ${showInstant(until)} at the latest.`;
  return deny('concurrency', what, remedy, { retryAt: until });
}
