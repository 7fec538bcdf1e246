import type { Instant } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { chargesOf, checkAmount, settledOf, settlingKinds } from '../accounts/index.ts';
import type { TaskLease, TaskRow } from './api-schema.ts';
import { taskOf } from './entry-task.ts';
import { newBudgets } from './task-budget.ts';
import {
  childKey,
  endedChildKey,
  leasedTaskKey,
  openTaskKey,
  pathKeys,
  taskKey,
  taskPrefix,
} from './task-row.ts';
import { endTask, readTaskRow, replaceTask, reserveInTask, settleInTask } from './tree.ts';

/** The fields of an entry that opens a task; older and plain ones have fewer. */
type OpenedTask = {
  readonly task: string;
  readonly parent?: string | null;
  readonly path?: readonly string[];
  readonly agent?: string;
  readonly tools?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly phases?: readonly string[];
  readonly budgets?: Readonly<Record<string, number>>;
  readonly expiresAt?: Instant | null;
  readonly lease?: Pick<TaskLease, 'leaseMs' | 'onLost'>;
  readonly joins?: readonly string[];
};

type Step = (rows: Rows, entry: Entry) => void;

const steps: Readonly<Record<string, Step>> = {
  'task-opened': open,
  'task-split': open,
  'task-moved': (rows, { body }) => {
    const row = readTaskRow(rows, String(body.task));
    rows.set(taskKey(row.task), { ...row, phase: String(body.phase) });
  },
  'task-lost': (rows, { body }) => {
    const row = readTaskRow(rows, String(body.task));
    if (row.lease) rows.set(taskKey(row.task), { ...row, lease: { ...row.lease, isLost: true } });
  },
  'task-closed': (rows, entry) => end(rows, entry, 'closed'),
  'task-cancelled': (rows, entry) => end(rows, entry, 'cancelled'),
};

/** The delegation tree with its reserved and spent amounts. */
export const tasks: Projection = {
  kinds: [...Object.keys(steps), 'proposal-granted', ...settlingKinds],
  keys: (entry) => (Object.hasOwn(steps, entry.kind) ? keysOfStep(entry) : keysOfProposal(entry)),
  apply: (rows, entry) => {
    const step = Object.hasOwn(steps, entry.kind) ? steps[entry.kind] : undefined;
    if (step) step(rows, entry);
    else applyProposal(rows, entry);
  },
};

function keysOfStep({ kind, body }: Entry): string[] {
  const { task, parent = null, path = [], expiresAt = null } = body as OpenedTask;
  if (kind === 'task-moved' || kind === 'task-lost') return [taskKey(task)];
  return stepKeys({ task, parent, path, expiresAt });
}

/** The rows that change when a task begins or ends. */
export function stepKeys(row: Pick<TaskRow, 'task' | 'parent' | 'path' | 'expiresAt'>): string[] {
  const { task, parent, path, expiresAt } = row;
  return [
    ...pathKeys(path, task),
    openTaskKey(task, expiresAt),
    leasedTaskKey(task),
    ...(parent === null ? [] : [childKey(parent, task), endedChildKey(parent, task)]),
  ];
}

function open(rows: Rows, entry: Entry): void {
  const row = newRow(entry);
  const { task, parent, agent, expiresAt } = row;
  replaceTask(rows, undefined, row);
  rows.set(openTaskKey(task, expiresAt), { agent });
  if (parent !== null) rows.set(childKey(parent, task), { task });
  if (row.lease) rows.set(leasedTaskKey(task), { task });
}

function newRow({ body, actor, seq, at }: Entry): TaskRow {
  const opened = body as OpenedTask;
  const { task, parent = null, path = [], tools = null, resources = null } = opened;
  const { agent = actor, phases = [], budgets = {}, expiresAt = null, lease, joins } = opened;
  // In the order in which they are stored, as sorting takes time with every call.
  return {
    agent,
    budgets: newBudgets(budgets),
    children: 0,
    endedSeq: 0,
    expiresAt,
    ...(joins ? { joins } : {}),
    ...(lease ? { lease: { isLost: false, ...lease, renewedAt: at } } : {}),
    openProposals: 0,
    openedSeq: seq,
    parent,
    path,
    phase: phases[0] ?? null,
    phases,
    resources,
    status: 'open',
    task,
    tools,
  };
}

function end(rows: Rows, { body, seq }: Entry, status: 'closed' | 'cancelled'): void {
  const { task, parent = null, expiresAt = null } = body as OpenedTask;
  endTask(rows, task, status, seq);
  rows.set(openTaskKey(task, expiresAt), undefined);
  const row = readTaskRow(rows, task);
  if (row.lease) rows.set(leasedTaskKey(task), undefined);
  if (body.replacedBy) rows.set(taskKey(task), { ...row, replacedBy: String(body.replacedBy) });
  if (parent === null) return;
  rows.set(childKey(parent, task), undefined);
  rows.set(endedChildKey(parent, task), { task });
}

/** Includes the ancestors, which pay what the task cannot and take over what it releases. */
function keysOfProposal({ body }: Entry): string[] {
  const task = taskOf(body);
  return task === undefined ? [] : pathKeys((body.taskPath ?? []) as readonly string[], task);
}

function applyProposal(rows: Rows, entry: Entry): void {
  const { kind, body } = entry;
  const task = taskOf(body);
  const row = task === undefined ? undefined : rows.get<TaskRow>(taskKey(task));
  // In observe mode, a proposal may name a task that does not exist.
  if (!row) return;
  const change = kind === 'proposal-granted' ? 1 : body.recovers === true ? 0 : -1;
  const openProposals = checkAmount('open proposals', row.openProposals + change);
  rows.set(taskKey(row.task), { ...row, openProposals, ...renewed(row, entry) });
  for (const { account, budget, amount } of chargesOf(entry).filter(isInTask)) {
    reserveInTask(rows, account.slice(taskPrefix.length), budget, amount);
  }
  for (const settled of settledOf(entry).filter(isInTask)) {
    settleInTask(rows, settled.account.slice(taskPrefix.length), settled);
  }
}

/** Whatever an agent proposes for its task shows that it is still there. */
function renewed({ lease, agent }: TaskRow, { actor, at }: Entry): Pick<TaskRow, 'lease'> {
  if (!lease || agent !== actor) return {};
  return { lease: { ...lease, renewedAt: at, isLost: false } };
}

const isInTask = ({ account }: { account: string }): boolean => account.startsWith(taskPrefix);
