import {
  childPrefix,
  endedChildPrefix,
  findJoin,
  findTask,
  type GradeRow,
  gradeKey,
  taskJoinPrefix,
} from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import { apiLimits } from '../../http/limits.ts';
import { readRow } from '../../ledger/index.ts';
import { formJoin, type JoinReader } from './join-view.ts';
import { formTask, showTask } from './task-view.ts';

type Tree = OperationResponse<'GET /v1/tasks/{task}/tree'>;
type Node = Tree['nodes'][number];

/** A task and everything below it, each after its parent, with grades and joins. */
export async function showTree(task: string, reader: JoinReader): Promise<Tree> {
  await showTask(task, reader.ledger, reader.actor);
  const nodes: Node[] = [];
  const isCut = await visit({ task, depth: 0 }, nodes, reader);
  return { nodes, isCut };
}

/** Whether there are more tasks than fit. */
async function visit(
  { task, depth }: { readonly task: string; readonly depth: number },
  nodes: Node[],
  reader: JoinReader,
): Promise<boolean> {
  if (nodes.length === apiLimits.treeTasksMax) return true;
  const { ledger } = reader;
  const row = await findTask(ledger, task);
  const grade = await readRow<GradeRow>(ledger, gradeKey(task));
  nodes.push({
    depth,
    task: await formTask(row, ledger),
    grade: grade ? { grader: grade.grader, accepted: grade.accepted } : null,
    joins: await joinsOf(task, reader),
  });
  for (const child of await childrenOf(task, reader)) {
    if (await visit({ task: child, depth: depth + 1 }, nodes, reader)) return true;
  }
  return false;
}

/** In the order in which they were split off, which is that of their ids. */
async function childrenOf(task: string, { ledger }: JoinReader): Promise<string[]> {
  const children: string[] = [];
  for (const prefix of [childPrefix(task), endedChildPrefix(task)]) {
    for await (const { key } of ledger.rows(prefix)) children.push(key.slice(prefix.length));
  }
  return children.sort();
}

async function joinsOf(task: string, reader: JoinReader): Promise<Node['joins']> {
  const joins: Node['joins'][number][] = [];
  const prefix = taskJoinPrefix(task);
  for await (const { key } of reader.ledger.rows(prefix)) {
    const row = await findJoin(key.slice(prefix.length), reader);
    joins.push(await formJoin(row, reader));
  }
  return joins;
}
