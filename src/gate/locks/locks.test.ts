import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { type Actor, sharedLimits } from '../../kernel/index.ts';
import { MemoryRows } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import { lockResource, slotKey } from '../slots/index.ts';
import { cancelTask, openTask } from '../tasks/index.ts';
import { ada, bob, eve, policy, RealGate, refusalOf, rulesOf } from '../tasks/real-gate.fixture.ts';
import { type LockAnswer, type LockRequest, lockRequestSchema } from './api-schema.ts';
import {
  acquireLock,
  checkFence,
  decideRequest,
  leaveQueue,
  releaseLock,
  renewLock,
} from './commands.ts';
import { listLocks } from './list-locks.ts';
import { formatWaiter, lockKey, lockOwnerKey } from './lock-row.ts';
import { type LockPatience, waitForLock } from './wait-for-lock.ts';

let real: RealGate;

beforeEach(async () => {
  real = await RealGate.open();
});
afterEach(async () => {
  expect(await real.close()).toMatchObject({ different: 0, differences: [] });
});

const acquire = (actor: Actor, lock: string, more: Partial<LockRequest> = {}) =>
  acquireLock(actor, lockRequestSchema.parse({ lock, ...more }), real.deps);

const release = (actor: Actor, { lock, fence }: LockAnswer) =>
  releaseLock(actor, { lock, fence: Number(fence) }, real.deps);

type Waiting = Partial<LockPatience> & { readonly task?: string };

const wait = (
  actor: Actor,
  { lock, ticket }: LockAnswer,
  { task, waitMs = 0, ...more }: Waiting = {},
) => {
  const { ledger, clock } = real.gate;
  const place = { lock, ticket: String(ticket), task };
  return waitForLock(actor, place, { waitMs, ...more }, { ledger, clock });
};

const pass = (ms: number): void => real.gate.clock.forward(ms);

describe('a lock', () => {
  // proves: lock.queue
  test('goes to those who wait in their order, and shows each its position', async () => {
    const first = await acquire(ada, 'db');
    expect(first).toMatchObject({ state: 'held', fence: 1 });
    const second = await acquire(bob, 'db');
    const third = await acquire(eve, 'db');
    expect([second.position, third.position]).toEqual([1, 2]);
    expect(third).toMatchObject({ state: 'waiting', heldBy: [ada] });
    const waiting = wait(bob, second, { waitMs: 60_000 });
    await release(ada, first);
    expect(await waiting).toMatchObject({ state: 'held', fence: 2 });
    expect(await wait(eve, third)).toMatchObject({ state: 'waiting', position: 1, heldBy: [bob] });
  });

  test('is given again with the same fence to whoever holds it', async () => {
    const { fence } = await acquire(ada, 'db');
    expect(await acquire(ada, 'db')).toMatchObject({ state: 'held', fence });
    const queued = await acquire(bob, 'db');
    expect(await acquire(bob, 'db')).toMatchObject({ ticket: queued.ticket, position: 1 });
  });

  test('is refused at once without a queue, and not after its lease has ended', async () => {
    await acquire(ada, 'db', { leaseMs: 600_000 });
    const now = { queueMs: 0 };
    expect(await refusalOf(acquire(bob, 'db', now))).toMatchObject({ code: 'LOCK_HELD' });
    pass(600_000);
    expect(await acquire(bob, 'db', now)).toMatchObject({ state: 'held', fence: 2 });
  });

  // proves: lock.fenced
  test('refuses the fence of a holder that was stopped past its lease', async () => {
    const stopped = await acquire(ada, 'db', { leaseMs: 600_000 });
    const next = await acquire(bob, 'db');
    pass(600_000);
    expect(await wait(bob, next)).toMatchObject({ state: 'held', fence: 2 });
    const { ledger, clock } = real.gate;
    const lost = expect.objectContaining({ code: 'LEASE_LOST' });
    const check = (fence: number) => checkFence({ lock: 'db', fence }, clock.now(), { ledger });
    await expect(check(1)).rejects.toThrow(lost);
    expect(await check(2)).toMatchObject({ owner: bob });
    await expect(release(ada, stopped)).rejects.toThrow(lost);
    const renewal = { lock: 'db', fence: 1, leaseMs: 600_000 };
    await expect(renewLock(ada, renewal, real.deps)).rejects.toThrow(lost);
    // Also when nobody holds the lock any more: the call would otherwise just take it.
    await release(bob, { ...next, fence: 2 });
    const late = { actor: ada, tool: 'order.get', arguments: { id: 'o1' } };
    const shown = { ...late, facts: { fences: { db: 1 } } };
    expect(rulesOf(await refusalOf(real.gate.propose(shown)))).toEqual(['fence']);
    expect(await real.gate.propose(late)).toMatchObject({ status: 'committed' });
  });

  test('goes on for longer when it is renewed in time', async () => {
    const { fence } = await acquire(ada, 'db', { leaseMs: 600_000 });
    pass(400_000);
    await renewLock(ada, { lock: 'db', fence: Number(fence), leaseMs: 600_000 }, real.deps);
    pass(400_000);
    expect(await refusalOf(acquire(bob, 'db', { queueMs: 0 }))).toMatchObject({
      code: 'LOCK_HELD',
    });
  });

  test('of a task ends with the task', async () => {
    const { task } = await openTask(ada, { goal: 'work' }, real.deps);
    await acquire(ada, 'db', { task });
    const next = await acquire(bob, 'db');
    await cancelTask(ada, task, 'enough', real.deps);
    expect(await wait(bob, next)).toMatchObject({ state: 'held' });
  });

  test('can be released and renewed by its owner and by nobody else', async () => {
    const held = await acquire(ada, 'db');
    const queued = await acquire(eve, 'db');
    expect(await refusalOf(release(bob, held))).toMatchObject({ code: 'LOCK_NOT_YOURS' });
    const ticket = { lock: 'db', ticket: String(queued.ticket) };
    expect(await refusalOf(leaveQueue(bob, ticket, real.deps))).toMatchObject({
      code: 'LOCK_NOT_YOURS',
    });
    await leaveQueue(eve, ticket, real.deps);
    expect(await wait(eve, queued)).toMatchObject({ state: 'gone' });
  });

  // proves: lock.own-ticket
  test('is waited for with its own ticket and with no other', async () => {
    const { task } = await openTask(eve, { goal: 'work' }, real.deps);
    const held = await acquire(ada, 'db');
    const queued = await acquire(eve, 'db', { task });
    const notYours = { code: 'LOCK_NOT_YOURS' };
    expect(await refusalOf(wait(bob, queued))).toMatchObject(notYours);
    expect(await refusalOf(wait(bob, queued, { task }))).toMatchObject(notYours);
    await release(ada, held);
    expect(await refusalOf(wait(bob, queued, { task }))).toMatchObject(notYours);
    expect(await real.entries('attempt-refused')).toHaveLength(3);
    expect(await wait(eve, queued, { task })).toMatchObject({ state: 'held' });
  });

  // proves: lock.left
  test('passes over a waiter that closed its connection', async () => {
    const held = await acquire(ada, 'db');
    const [gone, next] = [await acquire(bob, 'db'), await acquire(eve, 'db')];
    const connection = new AbortController();
    const waiting = wait(bob, gone, { waitMs: 60_000, signal: connection.signal });
    connection.abort();
    expect(await refusalOf(waiting)).toMatchObject({ code: 'LOCK_LEFT' });
    await release(ada, held);
    expect(await wait(eve, next)).toMatchObject({ state: 'held', fence: 2 });
    expect(await wait(bob, gone)).toMatchObject({ state: 'gone' });
  });

  test('goes on to the next one if its first waiter left as it came', async () => {
    const held = await acquire(ada, 'db');
    const [gone, next] = [await acquire(bob, 'db'), await acquire(eve, 'db')];
    await release(ada, held);
    const left = wait(bob, gone, { signal: AbortSignal.abort() });
    expect(await refusalOf(left)).toMatchObject({ code: 'LOCK_LEFT' });
    expect(await wait(eve, next)).toMatchObject({ state: 'held', fence: 3 });
  });

  // proves: lock.claimed
  test('stays with whoever claims it in time, and with nobody else', async () => {
    const leaseMs = 600_000;
    const held = await acquire(ada, 'db');
    const first = await acquire(bob, 'db', { leaseMs });
    const second = await acquire(eve, 'db', { leaseMs });
    await release(ada, held);
    pass(gateLimits.lockClaimMs);
    const claimed = await wait(eve, second);
    expect(claimed).toMatchObject({ state: 'held', fence: 3 });
    expect(await wait(bob, first)).toMatchObject({ state: 'gone' });
    pass(leaseMs - 60_000);
    expect(await refusalOf(acquire(bob, 'db', { queueMs: 0 }))).toMatchObject({
      code: 'LOCK_HELD',
    });
    pass(60_000);
    expect(await acquire(bob, 'db', { queueMs: 0 })).toMatchObject({ state: 'held' });
  });

  test('that came just in time is claimed with its whole lease', async () => {
    const leaseMs = 600_000;
    const held = await acquire(ada, 'db');
    const queued = await acquire(bob, 'db', { leaseMs });
    await release(ada, held);
    pass(gateLimits.lockClaimMs / 2);
    expect(await wait(bob, queued)).toMatchObject({ state: 'held', fence: 2 });
    pass(leaseMs - 60_000);
    expect(await refusalOf(acquire(eve, 'db', { queueMs: 0 }))).toMatchObject({
      code: 'LOCK_HELD',
    });
  });

  test('passes over a waiter whose time in the queue is over', async () => {
    const held = await acquire(ada, 'db');
    const impatient = await acquire(bob, 'db', { queueMs: 30_000 });
    const patient = await acquire(eve, 'db');
    pass(30_000);
    await release(ada, held);
    expect(await wait(eve, patient)).toMatchObject({ state: 'held' });
    expect(await wait(bob, impatient)).toMatchObject({ state: 'gone' });
  });

  // proves: lock.priority
  test('prefers priority, and whoever has waited longer than that is worth', async () => {
    const held = await acquire(ada, 'db', { leaseMs: sharedLimits.leaseMsMax });
    const { task: low } = await openTask(bob, { goal: 'low' }, real.deps);
    const { task: later } = await openTask(eve, { goal: 'later' }, real.deps);
    const patient = await acquire(bob, 'db', { task: low });
    pass(gateLimits.lockAgeingMs / 2);
    const urgent = await acquire(bob, 'db', { priority: 1 });
    expect(urgent.position).toBe(1);
    pass(gateLimits.lockAgeingMs);
    expect(await acquire(eve, 'db', { task: later, priority: 1 })).toMatchObject({ position: 3 });
    await release(ada, held);
    expect((await wait(bob, urgent)).state).toBe('held');
    expect(await wait(bob, patient, { task: low })).toMatchObject({ position: 1 });
  });
});

describe('a semaphore', () => {
  test('has as many holders as slots', async () => {
    const slots = 2;
    await acquire(ada, 'browsers', { slots });
    const second = await acquire(bob, 'browsers', { slots });
    expect(second.state).toBe('held');
    const third = await acquire(eve, 'browsers', { slots });
    expect(third).toMatchObject({ state: 'waiting', position: 1, heldBy: [ada, bob] });
    await release(bob, second);
    expect(await wait(eve, third)).toMatchObject({ state: 'held', fence: 3 });
  });

  test('in use keeps its number of slots', async () => {
    const held = await acquire(ada, 'browsers', { slots: 2 });
    expect(await refusalOf(acquire(bob, 'browsers'))).toMatchObject({ code: 'LOCK_SLOTS' });
    await release(ada, held);
    expect(await acquire(bob, 'browsers')).toMatchObject({ state: 'held' });
  });
});

describe('a deadlock', () => {
  // proves: lock.deadlock
  test('is refused with its cycle', async () => {
    await acquire(ada, 'a');
    await acquire(bob, 'b');
    await acquire(eve, 'c');
    await acquire(ada, 'b');
    await acquire(bob, 'c');
    const refused = await refusalOf(acquire(eve, 'a'));
    expect(refused).toMatchObject({ code: 'LOCK_DEADLOCK' });
    expect(refused.message).toContain(
      'agent:eve waits for a, which agent:ada holds; agent:ada waits for b, which agent:bob ' +
        'holds; agent:bob waits for c, which agent:eve holds',
    );
  });

  test('needs all holders of a semaphore to wait', async () => {
    await acquire(ada, 'a', { slots: 2 });
    await acquire(bob, 'a', { slots: 2 });
    await acquire(eve, 'b');
    await acquire(ada, 'b');
    expect(await acquire(eve, 'a', { slots: 2 })).toMatchObject({ state: 'waiting' });
  });

  test('with a holder whose lease has ended is none', async () => {
    await acquire(ada, 'a', { leaseMs: 600_000 });
    await acquire(bob, 'b');
    await acquire(ada, 'b');
    pass(600_000);
    expect(await acquire(bob, 'a')).toMatchObject({ state: 'held' });
  });
});

describe('a call whose contract names a lock', () => {
  const locked = (held: boolean) => ({
    ...policy,
    tools: {
      ...policy.tools,
      'order.pay': {
        ...policy.tools?.['order.pay'],
        governance: { concurrency: { lock: '"db"', ...(held ? { held } : {}) } },
      },
    },
  });
  const pay = (actor: Actor, fences?: Record<string, number>) =>
    real.gate.propose({
      ...{ actor, tool: 'order.pay', arguments: { id: 'o1', amount: 1 } },
      ...(fences ? { facts: { fences } } : {}),
    });

  test('waits for the holder, except for the calls of the holder itself', async () => {
    await real.gate.adopt(locked(false) as typeof policy);
    const { fence } = await acquire(ada, 'db');
    expect(rulesOf(await refusalOf(pay(bob)))).toEqual(['concurrency']);
    expect(await pay(ada, { db: Number(fence) })).toMatchObject({ status: 'committed' });
    // The call gave nothing back that the agent holds.
    expect(await acquire(ada, 'db')).toMatchObject({ fence });
  });

  test('is denied to whoever does not hold it, if the contract demands that', async () => {
    await real.gate.adopt(locked(true) as typeof policy);
    expect(rulesOf(await refusalOf(pay(ada)))).toEqual(['fence']);
    const { fence } = await acquire(ada, 'db');
    expect(rulesOf(await refusalOf(pay(bob, { db: Number(fence) })))).toContain('fence');
    expect(await pay(ada, { db: Number(fence) })).toMatchObject({ status: 'committed' });
  });

  test('has the lock while it runs, and the queue gets it afterwards', async () => {
    await real.gate.adopt(locked(false) as typeof policy);
    let queued: LockAnswer | undefined;
    real.pay = async (amount) => {
      queued = await acquire(bob, 'db');
      return amount;
    };
    await pay(ada);
    expect(queued).toMatchObject({ state: 'waiting', position: 1 });
    expect(await wait(bob, queued as LockAnswer)).toMatchObject({ state: 'held' });
  });
});

describe('many agents', () => {
  test('on one lock hold it one after the other, in their order', async () => {
    const count = runs(100, 1_000);
    const owners = Array.from({ length: count }, (_, index) => `agent:ada${index}` as Actor);
    await real.gate.adopt({ ...policy, agents: Object.fromEntries(owners.map(agentOf)) });
    const answers = await Promise.all(owners.map((owner) => acquire(owner, 'db')));
    const order: string[] = [];
    let [now] = answers as [LockAnswer];
    for (let index = 0; index < count; index++) {
      const [holder, ...others] = now.heldBy;
      expect(others).toEqual([]);
      order.push(String(holder));
      await release(holder as Actor, now);
      const next = owners[index + 1];
      if (next) now = await wait(next, answers[index + 1] as LockAnswer);
    }
    expect(order).toEqual(owners);
    const acquired = await real.entries('lock-acquired');
    const fences = acquired.map(({ body }) => (body.leases as { fence: number }[])[0]?.fence);
    expect(fences).toEqual(owners.map((_, index) => index + 1));
    expect(await listLocks(real.gate.ledger, real.gate.clock.now())).toEqual([]);
  });

  const agentOf = (owner: string) =>
    [owner.slice('agent:'.length), { tools: ['lock.*'] }] as [string, { tools: string[] }];
});

test('the queue of a lock takes gateLimits.lockWaitersMax owners', () => {
  const waiters = (count: number) => ({
    lock: 'db',
    slots: 1,
    holders: [],
    queue: Array.from({ length: count }, (_, index) => {
      const owner = `agent:a${index}`;
      return formatWaiter({
        ...{ rank: 0, since: 0, until: 9e15 },
        ticket: 't',
        owner,
        leaseMs: 1,
      });
    }),
  });
  const rows = new MemoryRows();
  const lease = { ...{ resource: lockResource('db'), owner: 'prop_1', reap: 'expire' }, fence: 1 };
  rows.set(slotKey(lockResource('db')), { fence: 1, leases: [{ ...lease, expiresAt: 9e15 }] });
  const decide = (count: number) => {
    rows.set(lockKey('db'), waiters(count));
    const asked = { ...lockRequestSchema.parse({ lock: 'db' }), owner: ada, ticket: 'mine' };
    return decideRequest(asked, rows, 1);
  };
  rows.set(lockOwnerKey(ada), undefined);
  const max = gateLimits.lockWaitersMax;
  expect(decide(max - 1).result([])).toMatchObject({ position: max });
  expect(() => decide(max)).toThrow(expect.objectContaining({ code: 'LOCK_QUEUE_FULL' }));
});

test(`an owner holds and waits for at most gateLimits.locksPerOwnerMax locks`, () => {
  const rows = new MemoryRows();
  const decide = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `lock-${index}`);
    rows.set(lockOwnerKey(ada), { holds: names.slice(1), waits: names.slice(0, 1) });
    const asked = { ...lockRequestSchema.parse({ lock: 'db' }), owner: ada, ticket: 't' };
    return decideRequest(asked, rows, 1_000);
  };
  const max = gateLimits.locksPerOwnerMax;
  expect(decide(max - 1).result([])).toMatchObject({ state: 'held' });
  expect(() => decide(max)).toThrow(expect.objectContaining({ code: 'LOCK_TOO_MANY' }));
});
