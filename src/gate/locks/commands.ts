import {
  type Actor,
  checkHolder,
  committedValue,
  fault,
  type Instant,
  type Lease,
  type Proposal,
} from '../../kernel/index.ts';
import { type Decided, type ReadRows, readRow } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import { isCurrent, lockResource, type SlotRow, slotKey } from '../slots/index.ts';
import { recordRefusal, type TaskCommandDeps, type TaskRow, taskKey } from '../tasks/index.ts';
import type { LockAnswer, LockHold, LockRenewal, LockRequest, LockTicket } from './api-schema.ts';
import { findDeadlock } from './find-deadlock.ts';
import {
  type LockOwnerRow,
  type LockRow,
  lockKey,
  lockOwnerKey,
  rankOf,
  readWaiter,
} from './lock-row.ts';
import { acquired, type LockTurn, leaseAfter, planTurn, renewed } from './plan-turn.ts';
import { turnKeys, wakeHolders } from './take-turn.ts';

/** Takes a lock, or a place in its queue. Whoever holds it already gets the same lease again. */
export async function acquireLock(
  actor: Actor,
  request: LockRequest,
  deps: TaskCommandDeps,
): Promise<LockAnswer> {
  const { actInLedger, makeIdentifier } = deps;
  const { lock, task } = request;
  const owner = task ?? actor;
  const ticket = makeIdentifier('tick');
  const proposal = { actor, tool: 'lock.acquire', arguments: { ...request } };
  const asked = task === undefined ? proposal : { ...proposal, task };
  const answer = await actInLedger<LockAnswer>(asked, {
    keys: [lockKey(lock), lockOwnerKey(owner), slotKey(lockResource(lock))],
    decide: (rows, now) => decideRequest({ ...request, owner, ticket }, rows, now),
  });
  const value = committedValue(answer);
  wakeHolders(lock, value.heldBy);
  return value;
}

type Asked = LockRequest & { readonly owner: string; readonly ticket: string };

/** Pure, over rows. */
export function decideRequest(asked: Asked, rows: ReadRows, now: Instant): Decided<LockAnswer> {
  const { lock, owner, slots, leaseMs } = asked;
  const turn = planTurn(lock, rows, now, { slots, claimant: owner });
  const held = turn.holders.find((holder) => holder.owner === owner);
  if (held) return answered(turn, holding(lock, held.lease, turn));
  const queued = turn.queue.find((waiter) => waiter.owner === owner);
  if (queued) return answered(turn, waiting(lock, queued.ticket, turn));
  checkSlots(asked, rows);
  checkCount(owner, rows);
  if (turn.free === 0) return queue(asked, turn, rows, now);
  const lease = leaseAfter(turn.fence, { lock, owner, leaseMs }, now);
  const drafts = [...turn.drafts, acquired(lock, owner, lease, slots)];
  const holders = [...turn.holders, { owner, lease }];
  const taken = { ...turn, drafts, holders };
  return answered(taken, holding(lock, lease, taken));
}

function queue(asked: Asked, turn: LockTurn, rows: ReadRows, now: Instant): Decided<LockAnswer> {
  const { lock, owner, slots, leaseMs, priority, queueMs, ticket } = asked;
  if (queueMs === 0) throw fault('LOCK_HELD', { lock, owner: namesOf(turn) });
  const limit = gateLimits.lockWaitersMax;
  if (turn.queue.length >= limit) throw fault('LOCK_QUEUE_FULL', { lock, limit });
  const cycle = findDeadlock(owner, lock, rows, now);
  if (cycle) throw fault('LOCK_DEADLOCK', { lock, cycle });
  const times = { since: now, until: now + queueMs, rank: rankOf(priority, now) };
  const waiter = { ticket, owner, leaseMs, ...times };
  const draft = {
    kind: 'lock-queued',
    actor: 'surety:gate' as const,
    body: { lock, owner, slots, waiter },
  };
  const ahead = turn.queue.filter(({ rank }) => rank <= waiter.rank).length;
  const queued = [...turn.queue.slice(0, ahead), waiter, ...turn.queue.slice(ahead)];
  const answer = waiting(lock, ticket, { ...turn, queue: queued });
  return { drafts: [...turn.drafts, draft], result: () => answer };
}

function checkSlots({ lock, slots }: Asked, rows: ReadRows): void {
  const row = rows.get<LockRow>(lockKey(lock));
  if (row && row.slots !== slots) throw fault('LOCK_SLOTS', { lock, slots: row.slots });
}

/** Each of them is looked at again and again, until its time is over. */
function checkCount(owner: string, rows: ReadRows): void {
  const { holds, waits } = rows.get<LockOwnerRow>(lockOwnerKey(owner)) ?? { holds: [], waits: [] };
  const limit = gateLimits.locksPerOwnerMax;
  if (holds.length + waits.length >= limit) throw fault('LOCK_TOO_MANY', { owner, limit });
}

const answered = ({ drafts }: LockTurn, answer: LockAnswer): Decided<LockAnswer> => ({
  drafts,
  result: () => answer,
});

const namesOf = ({ holders }: LockTurn): string =>
  holders.map(({ owner }) => owner).join(', ') || 'a call in progress';

export function holding(lock: string, lease: Lease, { holders }: LockTurn): LockAnswer {
  const { fence, expiresAt } = lease;
  const heldBy = holders.map(({ owner }) => owner);
  return { lock, state: 'held', fence, expiresAt, ticket: null, position: null, heldBy };
}

export function waiting(
  lock: string,
  ticket: string,
  { holders, queue: all }: LockTurn,
): LockAnswer {
  const position = all.findIndex((waiter) => waiter.ticket === ticket) + 1;
  const heldBy = holders.map(({ owner }) => owner);
  return { lock, state: 'waiting', fence: null, expiresAt: null, ticket, position, heldBy };
}

/** Gives a lock back. The first one in the queue has it in the same step. */
export async function releaseLock(
  actor: Actor,
  { lock, fence }: LockHold,
  deps: TaskCommandDeps,
): Promise<LockHold> {
  const owner = await recordRefusal(actor, 'lock.release', deps, () =>
    checkMine(actor, { lock, fence }, deps),
  );
  const proposal = { actor, tool: 'lock.release', arguments: { lock, fence } };
  const asked = owner.startsWith('task_') ? { ...proposal, task: owner } : proposal;
  return changeTurn(asked, { lock, fence }, deps);
}

/** Lets somebody go in the same step in which the next one has its turn. */
async function changeTurn<Going extends LockHold | LockTicket>(
  asked: Proposal,
  going: Going,
  deps: TaskCommandDeps,
): Promise<Going> {
  const { lock, ...change } = going;
  let owners: readonly string[] = [];
  const outcome = await deps.actInLedger<Going>(asked, {
    keys: turnKeys(lock),
    decide: (rows, now) => {
      const { drafts, holders } = planTurn(lock, rows, now, change);
      owners = holders.map(({ owner }) => owner);
      return { drafts, result: () => going };
    },
  });
  wakeHolders(lock, owners);
  return committedValue(outcome);
}

/** Leaves the queue. */
export async function leaveQueue(
  actor: Actor,
  { lock, ticket }: LockTicket,
  deps: TaskCommandDeps,
): Promise<LockTicket> {
  await recordRefusal(actor, 'lock.release', deps, async () => {
    const row = await readRow<LockRow>(deps.ledger, lockKey(lock));
    const waiter = row?.queue.map(readWaiter).find((one) => one.ticket === ticket);
    if (!waiter) throw fault('NOT_FOUND', { what: `ticket ${ticket} of ${lock}` });
    await checkActsFor(actor, waiter.owner, lock, deps);
  });
  const proposal = { actor, tool: 'lock.release', arguments: { lock, ticket } };
  return changeTurn(proposal, { lock, ticket }, deps);
}

/** Extends a lease that has not ended. */
export async function renewLock(
  actor: Actor,
  { lock, fence, leaseMs }: LockRenewal,
  deps: TaskCommandDeps,
): Promise<{ lock: string; fence: number; expiresAt: number }> {
  const owner = await recordRefusal(actor, 'lock.renew', deps, () =>
    checkMine(actor, { lock, fence }, deps),
  );
  const resource = lockResource(lock);
  const proposal = { actor, tool: 'lock.renew', arguments: { lock, fence, leaseMs } };
  const asked = owner.startsWith('task_') ? { ...proposal, task: owner } : proposal;
  const outcome = await deps.actInLedger(asked, {
    keys: [slotKey(resource)],
    decide: (rows, now) => {
      const leases = rows.get<SlotRow>(slotKey(resource))?.leases ?? [];
      const lease = leases.find((one) => one.fence === fence);
      checkHolder(lease, fence, now);
      const expiresAt = now + leaseMs;
      const drafts = lease ? [renewed(lock, owner, { ...lease, expiresAt })] : [];
      return { drafts, result: () => ({ lock, fence, expiresAt }) };
    },
  });
  return committedValue(outcome);
}

/** For executors: throws unless this fence is the current one of a holder whose lease goes on. */
export async function checkFence(
  { lock, fence }: LockHold,
  now: Instant,
  { ledger }: Pick<TaskCommandDeps, 'ledger'>,
): Promise<LockHold & { readonly owner: string }> {
  const row = await readRow<SlotRow>(ledger, slotKey(lockResource(lock)));
  const lease = row?.leases.find((one) => one.fence === fence);
  if (lease && isCurrent(row, fence, now)) return { lock, fence, owner: lease.owner };
  throw fault('LEASE_LOST', { resource: lock, fence });
}

/** The owner of a lease, if the actor may act for it. */
async function checkMine(
  actor: Actor,
  { lock, fence }: LockHold,
  deps: TaskCommandDeps,
): Promise<string> {
  const find = (row: LockRow | undefined) => row?.holders.find((one) => one.fence === fence);
  const { ledger } = deps;
  const holder =
    find(await ledger.recentRow<LockRow>(lockKey(lock))) ??
    find(await readRow<LockRow>(ledger, lockKey(lock)));
  if (!holder) throw fault('LEASE_LOST', { resource: lock, fence });
  await checkActsFor(actor, holder.owner, lock, deps);
  return holder.owner;
}

/** An agent acts for itself and for its tasks; people act for anybody. */
export async function checkActsFor(
  actor: Actor,
  owner: string,
  lock: string,
  { ledger }: Pick<TaskCommandDeps, 'ledger'>,
): Promise<void> {
  if (owner === actor || !actor.startsWith('agent:')) return;
  const task = await readRow<TaskRow>(ledger, taskKey(owner));
  if (task?.agent !== actor) throw fault('LOCK_NOT_YOURS', { lock, owner });
}
