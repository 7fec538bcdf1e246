import {
  type Act,
  type Actor,
  committedValue,
  fault,
  type Json,
  type JsonObject,
  type MakeIdentifier,
  type Outcome,
  type Proposal,
} from '../../kernel/index.ts';
import {
  type Decided,
  type Draft,
  type Ledger,
  type Request,
  readRow,
} from '../../ledger/index.ts';
import { recordAttempt } from '../attempts.ts';
import type { TaskRequest, TaskRow } from './api-schema.ts';
import { endFacts } from './cancel.ts';
import { carveChild, checkLive, checkOwner, rootFacts, type TaskFacts } from './carve.ts';
import { checkFinish, checkMove } from './finish.ts';
import { stepKeys } from './projection.ts';
import { type Taint, taintFact, taintOf } from './taint.ts';
import { checkTaskRequest } from './task-request.ts';
import { childKey, pathKeys, taskKey } from './task-row.ts';
import { readTaskRow } from './tree.ts';

/** What a proposal does, if all of it is entries of the ledger. */
export type ActInLedger = <Value extends Json>(
  proposal: Proposal,
  effect: Request<Value>,
) => Promise<Outcome<Value>>;

export interface TaskCommandDeps {
  readonly act: Act;
  readonly actInLedger: ActInLedger;
  readonly ledger: Ledger;
  readonly makeIdentifier: MakeIdentifier;
  /** Called when tasks have ended, with their ids. */
  readonly onEnded?: (tasks: readonly string[]) => Promise<void>;
}

/** How it is asked for, besides what is wanted. */
export interface TaskCommandOptions {
  /** The same key gives the recorded outcome. */
  readonly key?: string | undefined;
}

/** Opens a task that has nobody above it; with a `base`, one that is about a change of it. */
export async function openTask(
  actor: Actor,
  wish: TaskRequest,
  deps: TaskCommandDeps,
  { base, key }: TaskCommandOptions & { readonly base?: string | undefined } = {},
): Promise<{ task: string }> {
  await recordRefusal(actor, 'task.open', deps, () => checkRoot(wish, base));
  const task = deps.makeIdentifier('task');
  const facts = base === undefined ? {} : { facts: { base } };
  const proposal = { actor, tool: 'task.open', ...facts, arguments: { ...wish } };
  return perform(keyed(proposal, key), deps, {
    keys: [],
    freshKeys: [taskKey(task)],
    decide: (_, now) =>
      born('task-opened', actor, task, { ...rootFacts(actor, wish, now), ...facts.facts }, wish),
  });
}

function checkRoot(wish: TaskRequest, base: string | undefined): void {
  checkTaskRequest(wish);
  if (base === undefined || wish.phases === undefined) return;
  throw fault('TASK_INVALID', { reason: 'a task about a change goes through phases of its own' });
}

/** Splits a child off `parent`, with a part of what the parent has left. */
export async function splitTask(
  actor: Actor,
  parent: string,
  wish: TaskRequest,
  deps: TaskCommandDeps,
  { key }: TaskCommandOptions = {},
): Promise<{ task: string }> {
  const { path } = await recordRefusal(actor, 'task.split', deps, () => {
    checkTaskRequest(wish);
    return recallTask(deps.ledger, parent);
  });
  const task = deps.makeIdentifier('task');
  const proposal = { actor, tool: 'task.split', task: parent, arguments: { ...wish } };
  return perform(keyed(proposal, key), deps, {
    keys: pathKeys(path, parent),
    freshKeys: [taskKey(task), childKey(parent, task)],
    decide: (rows, now) => {
      const row = readTaskRow(rows, parent);
      checkOwner(row, actor);
      checkLive(row, now);
      const facts = carveChild(row, actor, wish, now);
      const taint = facts.agent === row.agent ? {} : taintOf(rows, [row.agent]);
      return born('task-split', actor, task, { ...facts, ...taintFact(taint) }, wish);
    },
  });
}

function born(
  kind: string,
  actor: Actor,
  task: string,
  facts: TaskFacts & { readonly base?: string; readonly taint?: Taint },
  { goal }: TaskRequest,
): Decided<{ task: string }> {
  const contents = [{ name: 'goal', subject: task, value: goal }];
  const drafts: Draft[] = [{ kind, actor, body: { task, ...facts }, contents }];
  return { drafts, result: () => ({ task }) };
}

/** Finishes a task: what it has left returns to its parent. */
export async function finishTask(
  actor: Actor,
  task: string,
  result: Json,
  deps: TaskCommandDeps,
  { key }: TaskCommandOptions = {},
): Promise<{ task: string }> {
  const found = await recordRefusal(actor, 'task.finish', deps, () =>
    recallTask(deps.ledger, task),
  );
  const proposal = { actor, tool: 'task.finish', task, arguments: { result } };
  const contents = [{ name: 'result', subject: task, value: result }];
  const finished = await perform(keyed(proposal, key), deps, {
    keys: stepKeys(found),
    decide: (rows) => {
      const row = readTaskRow(rows, task);
      checkFinish(row, actor);
      return { drafts: [{ ...closed(row, actor), contents }], result: () => ({ task }) };
    },
  });
  await deps.onEnded?.([task]);
  return finished;
}

/** Says that the agent of a task is still there: the proposal alone renews its lease. */
export async function renewTask(
  actor: Actor,
  task: string,
  deps: TaskCommandDeps,
): Promise<{ task: string }> {
  await recordRefusal(actor, 'task.renew', deps, async () => {
    const row = await findTask(deps.ledger, task);
    checkOwner(row, actor);
    if (row.status !== 'open') throw fault('TASK_CLOSED', { task, status: row.status });
    if (!row.lease) throw fault('TASK_INVALID', { reason: `${task} has no lease` });
  });
  const proposal = { actor, tool: 'task.renew', task, arguments: {} };
  return committedValue(await deps.act(proposal, async () => ({ task })));
}

function closed(row: TaskRow, actor: Actor): Draft {
  return { kind: 'task-closed', actor, body: endFacts(row) };
}

/**
 * Writes the entry with which a task has reached its goal, and in the same step its end. With
 * children it stays open, and is finished or cancelled like any other.
 */
export async function closeWith(draft: Draft, task: string, ledger: Ledger): Promise<void> {
  const found = await findTask(ledger, task);
  await ledger.transact({
    keys: stepKeys(found),
    decide: (rows) => {
      const row = readTaskRow(rows, task);
      const isFree = row.status === 'open' && row.children === 0;
      const drafts = isFree ? [draft, closed(row, draft.actor)] : [draft];
      return { drafts, result: () => undefined };
    },
  });
}

/** Takes a task to its next phase. */
export async function moveTask(
  actor: Actor,
  task: string,
  phase: string,
  deps: TaskCommandDeps,
): Promise<{ task: string; phase: string }> {
  await recordRefusal(actor, 'task.move', deps, () => recallTask(deps.ledger, task));
  const proposal = { actor, tool: 'task.move', task, arguments: { phase } };
  const draft = { kind: 'task-moved', actor, body: { task, phase } };
  return perform(proposal, deps, {
    keys: [taskKey(task)],
    decide: (rows, now) => {
      const row = readTaskRow(rows, task);
      checkLive(row, now);
      checkMove(row, actor, phase);
      return { drafts: [draft], result: () => ({ task, phase }) };
    },
  });
}

function keyed(proposal: Proposal, key: string | undefined): Proposal {
  return key === undefined ? proposal : { ...proposal, key };
}

/** Refuses an impossible request before the gate decides, and records the attempt. */
export async function recordRefusal<Value>(
  actor: Actor,
  tool: string,
  { ledger }: Pick<TaskCommandDeps, 'ledger'>,
  check: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await check();
  } catch (error) {
    throw await recordAttempt(ledger, actor, tool, error);
  }
}

/** Checks the rows again under the lock, because others may have acted since they were read. */
async function perform<Value extends JsonObject>(
  proposal: Proposal,
  { actInLedger }: TaskCommandDeps,
  request: Request<Value>,
): Promise<Value> {
  return committedValue(await actInLedger(proposal, request));
}

/** For what never changes of a task, and for what a transaction checks again. */
export async function recallTask(ledger: Ledger, task: string): Promise<TaskRow> {
  return (await ledger.recentRow<TaskRow>(taskKey(task))) ?? findTask(ledger, task);
}

export async function findTask(ledger: Ledger, task: string): Promise<TaskRow> {
  const row = await readRow<TaskRow>(ledger, taskKey(task));
  if (row) return row;
  throw fault('TASK_UNKNOWN', { task });
}
