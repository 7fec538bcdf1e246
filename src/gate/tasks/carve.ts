import { type Actor, fault, type Instant } from '../../kernel/index.ts';
import { coversPattern } from '../language/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskLease, TaskRequest, TaskRow } from './api-schema.ts';
import { budgetIn, taskFree } from './task-budget.ts';
import { expiryOf } from './task-request.ts';
import { isTaskLive } from './task-row.ts';

/** The facts in the entry of a new task, besides its id. */
export type TaskFacts = {
  readonly parent: string | null;
  readonly path: readonly string[];
  readonly agent: string;
  readonly tools: readonly string[] | null;
  readonly resources: readonly string[] | null;
  readonly phases: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly expiresAt: Instant | null;
  readonly lease?: Pick<TaskLease, 'leaseMs' | 'onLost'>;
};

/** A task without a parent. Its limits are its own; policy and accounts apply as well. */
export function rootFacts(actor: Actor, wish: TaskRequest, now: Instant): TaskFacts {
  const { agent = actor, tools = null, resources = null, phases = [], budgets = {} } = wish;
  if (agent !== actor && actor.startsWith('agent:')) {
    throw fault('TASK_INVALID', {
      reason: 'an agent opens tasks of its own; others it splits off',
    });
  }
  const expiresAt = expiryOf(wish, now);
  const own = { parent: null, path: [], agent, tools, resources, phases, budgets, expiresAt };
  return { ...own, ...leaseFact(wish) };
}

/** A child with at most what `parent` has left now. */
export function carveChild(
  parent: TaskRow,
  actor: Actor,
  wish: TaskRequest,
  now: Instant,
): TaskFacts {
  checkRoom(parent);
  return {
    parent: parent.task,
    path: [...parent.path, parent.task],
    agent: wish.agent ?? actor,
    tools: narrower(parent, 'tools', wish.tools),
    resources: narrower(parent, 'resources', wish.resources),
    phases: wish.phases ?? [],
    budgets: carveBudgets(parent, wish.budgets ?? {}),
    expiresAt: earlier(parent, expiryOf(wish, now)),
    ...leaseFact(wish),
  };
}

function leaseFact({ leaseMs, onLost = 'cancel' }: TaskRequest): Pick<TaskFacts, 'lease'> {
  return leaseMs === undefined ? {} : { lease: { leaseMs, onLost } };
}

function checkRoom({ task, path, children }: TaskRow): void {
  const { taskDepthMax, taskChildrenMax } = gateLimits;
  if (path.length >= taskDepthMax) {
    throw fault('TASK_TOO_LARGE', { task, what: 'tasks below it', limit: taskDepthMax });
  }
  if (children >= taskChildrenMax) {
    throw fault('TASK_TOO_LARGE', { task, what: 'open children', limit: taskChildrenMax });
  }
}

/** Every dimension that the parent limits is limited in the child, at 0 by default. */
function carveBudgets(
  parent: TaskRow,
  asked: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  for (const [dimension, amount] of Object.entries(asked)) {
    const budget = budgetIn(parent, dimension);
    const left = budget ? Math.max(0, taskFree(budget)) : amount;
    if (amount > left) {
      const reason = 'that is more than is left';
      throw wider(parent, `${amount} of ${dimension}`, reason, `${left}`);
    }
  }
  const none = Object.keys(parent.budgets).map((dimension) => [dimension, 0]);
  return Object.fromEntries([...none, ...Object.entries(asked)]) as Record<string, number>;
}

function narrower(
  parent: TaskRow,
  what: 'tools' | 'resources',
  asked: readonly string[] | undefined,
): readonly string[] | null {
  const given = parent[what];
  if (asked === undefined || given === null) return asked ?? given;
  const outside = asked.find((pattern) => !given.some((own) => coversPattern(own, pattern)));
  if (outside === undefined) return asked;
  const left = given.join(', ') || 'nothing';
  throw wider(parent, outside, `it is not among the ${what} of the parent`, left);
}

function earlier(parent: TaskRow, asked: Instant | null): Instant | null {
  if (parent.expiresAt === null || asked === null) return asked ?? parent.expiresAt;
  if (asked <= parent.expiresAt) return asked;
  const until = new Date(parent.expiresAt).toISOString();
  throw wider(parent, 'that much time', 'it would outlive its parent', `until ${until}`);
}

function wider({ task }: TaskRow, what: string, reason: string, left: string): Error {
  return fault('TASK_WIDER', { task, what, reason, left });
}

/** An agent must own the task; people may do what its owner may. */
export function checkOwner({ task, agent }: TaskRow, actor: Actor): void {
  if (actor.startsWith('agent:') && agent !== actor) {
    throw fault('TASK_NOT_YOURS', { task, agent });
  }
}

export function checkLive(row: TaskRow, now: Instant): void {
  const { task, status } = row;
  if (isTaskLive(row, now)) return;
  throw fault('TASK_CLOSED', { task, status: status === 'open' ? 'expired' : status });
}
