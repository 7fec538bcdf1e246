import { type Actor, fault, type JsonObject } from '../../kernel/index.ts';
import type { Draft, Ledger, ReadRows } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskRow } from './api-schema.ts';
import { childKey, childPrefix, pathKeys, taskKey } from './task-row.ts';

/** A task with its open descendants, each after its parent. */
export type Subtree = readonly { readonly task: string; readonly parent: string | null }[];

export async function collectSubtree(
  ledger: Pick<Ledger, 'rows'>,
  root: TaskRow,
): Promise<Subtree> {
  const tree: { task: string; parent: string | null }[] = [
    { task: root.task, parent: root.parent },
  ];
  for (const { task } of tree) {
    for await (const { key } of ledger.rows(childPrefix(task))) {
      tree.push({ task: key.slice(childPrefix(task).length), parent: task });
      checkSize(root.task, tree.length);
    }
  }
  return tree;
}

export function checkSize(task: string, tasks: number): void {
  const limit = gateLimits.taskTreeMax;
  if (tasks > limit) throw fault('TASK_TOO_LARGE', { task, what: 'open tasks to cancel', limit });
}

export function subtreeKeys(path: readonly string[], tree: Subtree): string[] {
  const rows = tree.flatMap(({ task, parent }) => [
    taskKey(task),
    ...(parent === null ? [] : [childKey(parent, task)]),
  ]);
  return [...pathKeys(path, (tree[0] as Subtree[number]).task), ...rows];
}

/**
 * The entries that cancel the tree, children first. Null if it has grown since it was collected,
 * because an overlooked child would keep its authority.
 */
export function planCancellation(
  rows: ReadRows,
  tree: Subtree,
  actor: Actor,
  reason: string,
): Draft[] | null {
  const open = tree.flatMap(({ task }) => {
    const row = rows.get<TaskRow>(taskKey(task));
    return row?.status === 'open' ? [row] : [];
  });
  const known = new Map<string | null, number>();
  for (const { parent } of open) known.set(parent, (known.get(parent) ?? 0) + 1);
  if (open.some(({ task, children }) => children !== (known.get(task) ?? 0))) return null;
  const root = (tree[0] as Subtree[number]).task;
  return open.reverse().map((row) => cancelled(row, root, actor, reason));
}

/** The facts in the entry that ends a task, which name every row that it touches. */
export function endFacts(row: TaskRow): JsonObject {
  const { task, parent, path, expiresAt, joins = [] } = row;
  const counted = joins.length > 0 ? { joins: [...joins] } : {};
  return { task, parent, path: [...path], expiresAt, ...counted };
}

function cancelled(row: TaskRow, root: string, actor: Actor, reason: string): Draft {
  const contents = row.task === root ? [{ name: 'reason', subject: root, value: reason }] : [];
  return { kind: 'task-cancelled', actor, body: { ...endFacts(row), root }, contents };
}
