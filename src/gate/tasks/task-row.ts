import type { Instant } from '../../kernel/index.ts';

export type TaskStatus = 'open' | 'closed' | 'cancelled';

/** What a task has of one dimension. */
export type TaskBudget = {
  readonly limit: number;
  /**
   * While the task is open: paid out of its own limit. Afterwards a record of what it cost: the
   * nearest open task above has it among its own.
   */
  readonly spent: number;
  readonly reserved: number;
  /** Set apart for its children: the limits of the open ones, what the others still hold. */
  readonly carved: number;
};

export type TaskBudgets = Readonly<Record<string, TaskBudget>>;

/** A node of the delegation tree, as the ledger knows it: the only source of its authority. */
export type TaskRow = {
  readonly task: string;
  readonly parent: string | null;
  /** Its ancestors, the root first. */
  readonly path: readonly string[];
  /** Who owns it and may propose for it. */
  readonly agent: string;
  readonly status: TaskStatus;
  /** Patterns; null: whatever its owner may use. */
  readonly tools: readonly string[] | null;
  readonly resources: readonly string[] | null;
  readonly phases: readonly string[];
  readonly phase: string | null;
  /** Only what is limited: a dimension that is not here is bounded by the accounts alone. */
  readonly budgets: TaskBudgets;
  /** Open ones. */
  readonly children: number;
  /** Granted for this task and not settled. */
  readonly openProposals: number;
  readonly expiresAt: Instant | null;
  /** The entry that opened it, which holds its goal. */
  readonly openedSeq: number;
  /** The entry that ended it, which holds its result; 0 while it is open. */
  readonly endedSeq: number;
};

export const taskPrefix = 'task/';
export const taskKey = (task: string): string => taskPrefix + task;

export const childPrefix = (parent: string): string => `task-child/${parent}/`;
export const childKey = (parent: string, child: string): string => childPrefix(parent) + child;

export const openTaskPrefix = 'open-task/';

const expiryDigits = 15;
const never = '9'.repeat(expiryDigits);

/** Sorted by when their time is over: whoever looks for those that are due reads no others. */
export function openTaskKey(task: string, expiresAt: Instant | null): string {
  const expiry = expiresAt === null ? never : String(expiresAt).padStart(expiryDigits, '0');
  return `${openTaskPrefix}${expiry}/${task}`;
}

export function readOpenTaskKey(key: string): { readonly task: string; readonly until: Instant } {
  const [expiry = '', task = ''] = key.slice(openTaskPrefix.length).split('/');
  return { task, until: expiry === never ? Number.POSITIVE_INFINITY : Number(expiry) };
}

export function pathKeys(path: readonly string[], task: string): string[] {
  return [...path, task].map(taskKey);
}

/** Its row alone says so: whoever cancels goes through the subtree, and no child outlives it. */
export function isTaskLive({ status, expiresAt }: TaskRow, now: Instant): boolean {
  return status === 'open' && (expiresAt === null || now < expiresAt);
}
