import { isFault, Wakes } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  cancelTask,
  type TaskCommandDeps,
  type TaskRow,
  taintFact,
  taintOf,
  taskKey,
} from '../tasks/index.ts';
import type { JoinRow } from './api-schema.ts';
import { type JoinCounts, mayBeSettled } from './join-counts.ts';
import { gradeKey, joinCountKey, joinKey } from './join-row.ts';
import { type JoinPart, judgeJoin } from './judge-join.ts';

/** Wakes those who wait for a join in this process. */
export const joinWakes: Wakes = new Wakes();

/** Ends a join that is met or missed, and then cancels the rest of its children if it says so. */
export async function settleJoin(join: string, deps: TaskCommandDeps): Promise<void> {
  const ended = await writeSettlement(join, deps.ledger);
  if (!ended) return;
  joinWakes.wake(join);
  if (ended.row.rest === 'cancel') await cancelRest(ended.parts, join, deps);
}

interface SettledJoin {
  readonly row: JoinRow;
  readonly parts: readonly JoinPart[];
}

/** Undefined if it still waits, or was settled before. */
async function writeSettlement(join: string, ledger: Ledger): Promise<SettledJoin | undefined> {
  const known = await ledger.recentRow<JoinRow>(joinKey(join));
  // Children never change. Without their names, each would be loaded on its own.
  const children = known?.state === 'waiting' ? known.children : [];
  return ledger.transact<SettledJoin | undefined>({
    keys: [joinKey(join), ...children.map(taskKey), ...children.map(gradeKey)],
    decide: (rows, now) => {
      const row = rows.get<JoinRow>(joinKey(join));
      if (row?.state !== 'waiting') return { drafts: [], result: () => undefined };
      const { state, reason, parts } = judgeJoin(row, rows, now);
      if (state === 'waiting') return { drafts: [], result: () => undefined };
      const counted = parts.filter((part) => part.state === 'counted').map(({ task }) => task);
      const authors = parts.map(({ task }) => rows.get<TaskRow>(taskKey(task))?.agent ?? '');
      const taint = taintFact(taintOf(rows, authors));
      const body = { join, task: row.task, agent: row.agent, state, reason, counted, ...taint };
      const drafts = [{ kind: 'join-settled', actor: 'surety:gate' as const, body }];
      return { drafts, result: () => ({ row, parts }) };
    },
  });
}

async function cancelRest(
  parts: readonly JoinPart[],
  join: string,
  deps: TaskCommandDeps,
): Promise<void> {
  for (const { task, state } of parts) {
    if (state !== 'open') continue;
    await cancelTask('surety:gate', task, `the join ${join} is settled`, deps).catch((error) => {
      if (!isFault(error, 'TASK_CLOSED')) throw error;
    });
  }
}

/** The same commands; joins are settled as soon as a child ends. */
export function withJoins<Deps extends TaskCommandDeps>(deps: Deps): Deps {
  const onEnded = (tasks: readonly string[]): Promise<void> =>
    settleJoinsOf(
      tasks.map((task) => ({ task })),
      commands,
    );
  const commands: Deps = { ...deps, onEnded };
  return commands;
}

/** Settles the joins that these tasks count for, after something about the tasks changed. */
export async function settleJoinsOf(
  tasks: readonly Pick<TaskRow, 'task'>[],
  deps: TaskCommandDeps,
): Promise<void> {
  const { ledger } = deps;
  const due = new Set<string>();
  for (const { task } of tasks) {
    const row = await ledger.recentRow<TaskRow>(taskKey(task));
    for (const join of row?.joins ?? []) due.add(join);
  }
  for (const join of due) {
    const counts = await ledger.recentRow<JoinCounts>(joinCountKey(join));
    if (mayBeSettled(counts)) await settleJoin(join, deps);
  }
}
