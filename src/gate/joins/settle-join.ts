import { isFault, Wakes } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import {
  cancelTask,
  type TaskCommandDeps,
  type TaskRow,
  taintFact,
  taintOf,
  taskKey,
} from '../tasks/index.ts';
import type { JoinRow } from './api-schema.ts';
import { joinKey } from './join-row.ts';
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
function writeSettlement(join: string, ledger: Ledger): Promise<SettledJoin | undefined> {
  return ledger.transact<SettledJoin | undefined>({
    keys: [joinKey(join)],
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
  const due = new Set<string>();
  for (const { task } of tasks) {
    const row = await readRow<TaskRow>(deps.ledger, taskKey(task));
    for (const join of row?.joins ?? []) due.add(join);
  }
  for (const join of due) await settleJoin(join, deps);
}
