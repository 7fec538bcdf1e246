import { type Actor, committedValue, fault, type Instant } from '../../kernel/index.ts';
import { type Decided, type Draft, type ReadRows, readRow } from '../../ledger/index.ts';
import {
  checkLive,
  checkOwner,
  childPrefix,
  findTask,
  recallTask,
  recordRefusal,
  type TaskCommandDeps,
  type TaskRow,
  taskKey,
} from '../tasks/index.ts';
import type { GradeRequest, JoinRequest, JoinRow } from './api-schema.ts';
import { checkChild, checkJoinRequest, neededChildren } from './join-request.ts';
import { gradeKey, joinKey } from './join-row.ts';
import { settleJoin, settleJoinsOf } from './settle-join.ts';

/** Opens a join over children of a task; it settles by itself when enough of them count. */
export async function openJoin(
  actor: Actor,
  task: string,
  request: JoinRequest,
  deps: TaskCommandDeps,
): Promise<{ join: string }> {
  const { actInLedger, ledger, makeIdentifier } = deps;
  const children = await recordRefusal(actor, 'task.join', deps, async () => {
    await recallTask(ledger, task);
    const named = request.children ?? (await openChildren(task, deps));
    checkJoinRequest(request, named);
    return named;
  });
  const join = makeIdentifier('join');
  const proposal = { actor, tool: 'task.join', task, arguments: { ...request } };
  const opened = await actInLedger(proposal, {
    keys: [taskKey(task), ...children.map(taskKey)],
    freshKeys: [joinKey(join)],
    decide: (rows, now) => openedJoin({ join, task, actor, request, children }, rows, now),
  });
  const value = committedValue(opened);
  await settleJoin(join, deps);
  return value;
}

async function openChildren(task: string, { ledger }: TaskCommandDeps): Promise<string[]> {
  const children: string[] = [];
  const prefix = childPrefix(task);
  for await (const { key } of ledger.rows(prefix)) children.push(key.slice(prefix.length));
  return children;
}

interface WantedJoin {
  readonly join: string;
  readonly task: string;
  readonly actor: Actor;
  readonly request: JoinRequest;
  readonly children: readonly string[];
}

function openedJoin(
  { join, task, actor, request, children }: WantedJoin,
  rows: ReadRows,
  now: Instant,
): Decided<{ join: string }> {
  const parent = rows.get<TaskRow>(taskKey(task));
  if (!parent) throw fault('TASK_UNKNOWN', { task });
  checkOwner(parent, actor);
  checkLive(parent, now);
  for (const child of children) checkChild(rows.get<TaskRow>(taskKey(child)), child, task);
  const { mode, evidence = [], graded = false, rest = 'keep', expiresInMs } = request;
  const expiresAt = expiresInMs === undefined ? null : now + expiresInMs;
  const needed = neededChildren(request, children.length);
  const { agent } = parent;
  const terms = { mode, needed, children, evidence, graded, rest, expiresAt };
  const body = { join, task, agent, ...terms };
  const drafts: Draft[] = [{ kind: 'join-opened', actor, body }];
  return { drafts, result: () => ({ join }) };
}

/** Records whether somebody other than its author accepts the result of a finished task. */
export async function gradeTask(
  actor: Actor,
  task: string,
  request: GradeRequest,
  deps: TaskCommandDeps,
): Promise<{ task: string; author: string; grader: string; accepted: boolean }> {
  const { actInLedger, ledger } = deps;
  const found = await recordRefusal(actor, 'task.grade', deps, async () => {
    const row = await findTask(ledger, task);
    checkGrader(row, actor);
    return row;
  });
  const { accepted, reason } = request;
  const value = { task, author: found.agent, grader: actor, accepted };
  const contents = [{ name: 'reason', subject: task, value: reason }];
  const proposal = { actor, tool: 'task.grade', arguments: { task, ...request } };
  const graded = await actInLedger(proposal, {
    keys: [taskKey(task), gradeKey(task)],
    decide: (rows) => {
      const joins = rows.get<TaskRow>(taskKey(task))?.joins ?? [];
      const body = joins.length > 0 ? { ...value, joins: [...joins] } : value;
      return { drafts: [{ kind: 'task-graded', actor, body, contents }], result: () => value };
    },
  });
  committedValue(graded);
  await settleJoinsOf([found], deps);
  return value;
}

/** Only a finished task has a result. Neither its author nor the author's own helpers grade it. */
function checkGrader({ task, status, agent }: TaskRow, actor: Actor): void {
  if (agent === actor) throw fault('GRADE_BY_AUTHOR', { task, agent });
  if (status !== 'closed') throw fault('GRADE_TOO_EARLY', { task, status });
}

export async function findJoin(
  join: string,
  { ledger }: Pick<TaskCommandDeps, 'ledger'>,
): Promise<JoinRow> {
  const row = await readRow<JoinRow>(ledger, joinKey(join));
  if (row) return row;
  throw fault('NOT_FOUND', { what: `join ${join}` });
}
