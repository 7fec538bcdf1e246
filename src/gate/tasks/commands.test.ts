import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Act,
  type Actor,
  type Clock,
  createClock,
  createIdentifiers,
  type Grant,
  openSigningKey,
  redactSecrets,
  systemRandom,
} from '../../kernel/index.ts';
import {
  announcedKeys,
  type Ledger,
  openLedger,
  Projections,
  rebuildRows,
} from '../../ledger/index.ts';
// The gate knows no adapter; its test needs a real one.
import { openSqliteReader, openSqliteStore } from '../../ledger/sqlite/store.ts';
import { accounts } from '../accounts/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskRow } from './api-schema.ts';
import { checkSize } from './cancel.ts';
import { cancelTask } from './cancel-task.ts';
import { changeTasks } from './change-task.ts';
import {
  type ActInLedger,
  closeWith,
  findTask,
  finishTask,
  moveTask,
  openTask,
  splitTask,
  type TaskCommandDeps,
} from './commands.ts';
import { tasks } from './projection.ts';
import { taskPrefix } from './task-row.ts';

const projections = [accounts, tasks, changeTasks];
let directory: string;
let ledger: Ledger;
let deps: TaskCommandDeps;
let skewMs = 0;
/** What happens between a grant and its run. */
let meanwhile: () => Promise<unknown>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'surety-tasks-'));
  skewMs = 0;
  meanwhile = async () => undefined;
  const system = createClock();
  const clock: Clock = { ...system, now: () => system.now() + skewMs };
  ledger = await openLedger({
    store: openSqliteStore({
      file: join(directory, 'ledger.db'),
      workspace: 'default',
      threads: false,
    }),
    clock,
    random: systemRandom,
    redact: redactSecrets,
    key: openSigningKey(join(directory, 'key.pem')),
    projections,
  });
  const makeIdentifier = createIdentifiers(system, systemRandom);
  const actInLedger: ActInLedger = (proposal, effect) =>
    act(proposal, () => ledger.transact(effect));
  deps = { ledger, makeIdentifier, act, actInLedger };
});
afterEach(async () => {
  const reader = openSqliteReader({ file: join(directory, 'ledger.db'), workspace: 'default' });
  const { differences } = await rebuildRows(
    reader,
    new Projections([announcedKeys, ...projections]),
  );
  await reader.close();
  await ledger.close();
  rmSync(directory, { recursive: true });
  expect(differences).toEqual([]);
});

/** As the gate does it, with one call charged to the task where it counts calls. */
const act: Act = async (proposal, run) => {
  const { actor, task } = proposal;
  const row = task === undefined ? null : await findTask(ledger, task);
  const id = deps.makeIdentifier('prop');
  const about = row ? { about: row.task, taskPath: row.path } : {};
  const account = taskPrefix + task;
  const charges = row?.budgets.calls ? [{ account, budget: 'calls', amount: 1 }] : [];
  const facts = { proposal: id, ...about };
  await ledger.append({ kind: 'proposal-granted', actor, body: { ...facts, charges } });
  await meanwhile();
  const settled = charges.map(({ amount, ...one }) => ({
    ...one,
    reserved: amount,
    actual: amount,
  }));
  const body = { ...facts, settled };
  try {
    const value = await run({ proposal: id } as Grant);
    await ledger.append({ kind: 'proposal-committed', actor, body });
    return { status: 'committed', proposal: id, value };
  } catch (error) {
    await ledger.append({ kind: 'proposal-failed', actor, body });
    throw error;
  }
};

const ada: Actor = 'agent:ada';
const bob: Actor = 'agent:bob';
const person: Actor = 'person:root';

const find = (task: string): Promise<TaskRow> => findTask(ledger, task);

async function family(): Promise<{ root: string; child: string; leaf: string }> {
  const budgets = { money: 100, calls: 20 };
  const { task: root } = await openTask(ada, { goal: 'g', budgets, tools: ['order.*'] }, deps);
  const wish = { goal: 'c', agent: bob, budgets: { money: 60, calls: 10 }, tools: ['order.get'] };
  const { task: child } = await splitTask(ada, root, wish, deps);
  const { task: leaf } = await splitTask(bob, child, { goal: 'l', budgets: { money: 5 } }, deps);
  return { root, child, leaf };
}

const failsWith = (code: string) => expect.objectContaining({ code });

describe('splitting a task', () => {
  test('gives a child a part of what its parent has left', async () => {
    const { root, child, leaf } = await family();
    expect(await find(leaf)).toMatchObject({
      agent: bob,
      path: [root, child],
      tools: ['order.get'],
      budgets: { money: { limit: 5 }, calls: { limit: 0 } },
    });
    expect((await find(child)).budgets).toEqual({
      money: { limit: 60, spent: 0, reserved: 0, carved: 5 },
      calls: { limit: 10, spent: 1, reserved: 0, carved: 0 },
    });
    expect((await ledger.contents((await find(leaf)).openedSeq))[0]).toMatchObject({ value: 'l' });
  });

  test('is allowed only for the owner of the parent', async () => {
    const { root, child } = await family();
    const forged = { goal: 'x', agent: bob, path: [], parent: null } as never;
    await expect(splitTask(bob, root, forged, deps)).rejects.toEqual(failsWith('TASK_NOT_YOURS'));
    // The owner of the parent's parent has to ask, too: the child's budget is no longer hers.
    await expect(splitTask(ada, child, { goal: 'x' }, deps)).rejects.toEqual(
      failsWith('TASK_NOT_YOURS'),
    );
    expect(await splitTask(person, child, { goal: 'x' }, deps)).toMatchObject({});
    await expect(splitTask(ada, 'task_0', { goal: 'x' }, deps)).rejects.toEqual(
      failsWith('TASK_UNKNOWN'),
    );
  });

  test('depends on what is left at the split, not at the proposal', async () => {
    const { root } = await family();
    const wish = { goal: 'x', budgets: { money: 30 } };
    const twice = await Promise.allSettled([
      splitTask(ada, root, wish, deps),
      splitTask(ada, root, wish, deps),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await find(root)).budgets.money).toMatchObject({ carved: 90 });
    const late = splitTask(ada, root, { goal: 'x', tools: ['*'] }, deps);
    await expect(late).rejects.toEqual(failsWith('TASK_WIDER'));
  });

  test('gives the child at most the remaining time of the parent', async () => {
    const { task } = await openTask(ada, { goal: 'g', expiresInMs: 60_000 }, deps);
    const { task: child } = await splitTask(ada, task, { goal: 'c' }, deps);
    expect((await find(child)).expiresAt).toBe((await find(task)).expiresAt);
    skewMs = 60_000;
    await expect(splitTask(ada, child, { goal: 'x' }, deps)).rejects.toMatchObject({
      code: 'TASK_CLOSED',
      message: expect.stringContaining('expired'),
    });
  });
});

describe('finishing a task', () => {
  test('returns what is left and pays for the call itself', async () => {
    const { root, child, leaf } = await family();
    await finishTask(bob, leaf, null, deps).catch(() => undefined);
    await finishTask(bob, child, { answer: 42 }, deps);
    expect(await find(child)).toMatchObject({ status: 'closed', openProposals: 0 });
    const [result] = await ledger.contents((await find(child)).endedSeq);
    expect(result).toMatchObject({ name: 'result', value: { answer: 42 } });
    expect(await find(root)).toMatchObject({
      children: 0,
      budgets: {
        money: { spent: 0, carved: 0 },
        // Splitting off and finishing: of the root one, of the child two, of the leaf one.
        calls: { spent: 4, reserved: 0, carved: 0 },
      },
    });
  });

  test('is refused while children or proposals are open', async () => {
    const { child, leaf } = await family();
    await expect(finishTask(bob, child, null, deps)).rejects.toEqual(
      failsWith('TASK_HAS_OPEN_CHILDREN'),
    );
    const { path } = await find(leaf);
    const about = { proposal: 'prop_x', about: leaf, taskPath: path };
    await ledger.append({ kind: 'proposal-granted', actor: bob, body: about });
    await expect(finishTask(bob, leaf, null, deps)).rejects.toEqual(
      failsWith('TASK_HAS_OPEN_PROPOSALS'),
    );
    await ledger.append({ kind: 'proposal-committed', actor: bob, body: about });
    await expect(finishTask(bob, leaf, null, deps)).resolves.toEqual({ task: leaf });
    await expect(finishTask(bob, leaf, null, deps)).rejects.toEqual(failsWith('TASK_CLOSED'));
  });

  test('is refused when a child appeared after the grant', async () => {
    const { leaf } = await family();
    meanwhile = () => {
      meanwhile = async () => undefined;
      return splitTask(bob, leaf, { goal: 'late' }, deps);
    };
    await expect(finishTask(bob, leaf, null, deps)).rejects.toEqual(
      failsWith('TASK_HAS_OPEN_CHILDREN'),
    );
  });
});

describe('reaching the goal of a task', () => {
  const promoted = (task: string) => ({ kind: 'change-promoted', actor: ada, body: { task } });
  const kinds = async () => (await ledger.entries(1, 100)).slice(-2).map(({ kind }) => kind);

  test('ends the task in the same transaction, even during a call', async () => {
    const { root } = await family();
    const budgets = { money: 10 };
    const { task } = await splitTask(ada, root, { goal: 'c', budgets }, deps);
    const { path } = await find(task);
    const about = { proposal: 'prop_x', about: task, taskPath: path };
    await ledger.append({ kind: 'proposal-granted', actor: ada, body: about });
    await closeWith(promoted(task), task, ledger);
    expect(await kinds()).toEqual(['change-promoted', 'task-closed']);
    expect(await find(task)).toMatchObject({ status: 'closed', openProposals: 1 });
    expect((await find(root)).budgets.money).toMatchObject({ carved: 60 });
    await ledger.append({ kind: 'proposal-committed', actor: ada, body: about });
    await closeWith(promoted(task), task, ledger);
    expect(await kinds()).toEqual(['proposal-committed', 'change-promoted']);
  });

  test('leaves a task with open children open', async () => {
    const { child } = await family();
    await closeWith(promoted(child), child, ledger);
    expect(await find(child)).toMatchObject({ status: 'open', children: 1 });
  });
});

describe('cancelling a task', () => {
  test('ends it and all its descendants in one entry', async () => {
    const { root, child, leaf } = await family();
    expect(await cancelTask(bob, child, 'no longer needed', deps)).toEqual({ cancelled: 2 });
    expect([(await find(child)).status, (await find(leaf)).status]).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(await find(root)).toMatchObject({ children: 0, budgets: { money: { carved: 0 } } });
    const entries = await ledger.entries(1, 100);
    const cancelled = entries.filter(({ kind }) => kind === 'task-cancelled');
    expect(cancelled.map(({ body }) => body.task)).toEqual([leaf, child]);
    await expect(splitTask(bob, leaf, { goal: 'x' }, deps)).rejects.toEqual(
      failsWith('TASK_CLOSED'),
    );
    await expect(cancelTask(person, child, 'again', deps)).rejects.toEqual(
      failsWith('TASK_CLOSED'),
    );
  });

  test('is allowed for its owner, the owner of an ancestor, and people', async () => {
    const { root, child, leaf } = await family();
    await expect(cancelTask(bob, root, '', deps)).rejects.toEqual(failsWith('TASK_NOT_YOURS'));
    const stranger = cancelTask('agent:eve', leaf, '', deps);
    await expect(stranger).rejects.toEqual(failsWith('TASK_NOT_YOURS'));
    expect(await cancelTask(ada, leaf, '', deps)).toEqual({ cancelled: 1 });
    // By the authority of the root, which pays for the call.
    expect((await find(root)).budgets.calls).toMatchObject({ spent: 2 });
    expect(await cancelTask(person, child, '', deps)).toEqual({ cancelled: 1 });
  });

  test('includes a child that appears at the last moment', async () => {
    const { child } = await family();
    const racing: Ledger = {
      ...ledger,
      transact: async (request) => {
        racing.transact = ledger.transact;
        await splitTask(bob, child, { goal: 'late' }, { ...deps, act: (_, run) => passing(run) });
        return ledger.transact(request);
      },
    };
    expect(await cancelTask(bob, child, '', { ...deps, ledger: racing })).toEqual({ cancelled: 3 });
  });

  test('fails and cancels nothing when the tree keeps changing', async () => {
    const { child } = await family();
    const quiet = { ...deps, act: ((_, run) => passing(run)) as Act };
    const racing: Ledger = {
      ...ledger,
      transact: async (request) => {
        await splitTask(bob, child, { goal: 'late' }, quiet);
        return ledger.transact(request);
      },
    };
    await expect(cancelTask(bob, child, '', { ...deps, ledger: racing })).rejects.toEqual(
      failsWith('TASK_BUSY'),
    );
    expect(await find(child)).toMatchObject({ status: 'open', children: 11 });
  });

  test('ends at most gateLimits.taskTreeMax tasks at once', () => {
    expect(() => checkSize('task_1', gateLimits.taskTreeMax)).not.toThrow();
    expect(() => checkSize('task_1', gateLimits.taskTreeMax + 1)).toThrow(
      failsWith('TASK_TOO_LARGE'),
    );
  });
});

async function passing(run: (grant: Grant) => Promise<unknown>): Promise<never> {
  return { status: 'committed', proposal: 'prop_x', value: await run({} as Grant) } as never;
}

test('a task passes through its phases in order', async () => {
  const { task } = await openTask(ada, { goal: 'g', phases: ['plan', 'work'] }, deps);
  await expect(finishTask(ada, task, null, deps)).rejects.toEqual(failsWith('TASK_PHASE_ORDER'));
  expect(await moveTask(ada, task, 'work', deps)).toEqual({ task, phase: 'work' });
  await expect(moveTask(ada, task, 'plan', deps)).rejects.toEqual(failsWith('TASK_PHASE_ORDER'));
  expect(await finishTask(ada, task, null, deps)).toEqual({ task });
  await expect(moveTask(ada, task, 'work', deps)).rejects.toEqual(failsWith('TASK_CLOSED'));
});

test('an impossible task request is refused before the gate, and recorded as an attempt', async () => {
  const wish = { goal: 'g', budgets: { money: -5 } };
  await expect(openTask(ada, wish, deps)).rejects.toEqual(failsWith('AMOUNT_INVALID'));
  const [, ...entries] = await ledger.entries(1, 10);
  expect(entries).toMatchObject([
    { kind: 'attempt-refused', actor: ada, body: { what: 'task.open', code: 'AMOUNT_INVALID' } },
  ]);
});

test('a task about a change opens with its base and without its own phases', async () => {
  const { task } = await openTask(ada, { goal: 'g', budgets: { calls: 9 } }, deps, { base: 'abc' });
  expect(await find(task)).toMatchObject({ status: 'open', budgets: { calls: { limit: 9 } } });
  const wish = { goal: 'g', phases: ['plan'] };
  await expect(openTask(ada, wish, deps, { base: 'abc' })).rejects.toEqual(
    failsWith('TASK_INVALID'),
  );
});
