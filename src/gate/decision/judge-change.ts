import type { JsonObject } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import type { RuleFinding } from '../api-schema.ts';
import { gateLimits } from '../limits.ts';
import {
  type ChangePhase,
  type ChangeTaskRow,
  changeTaskKey,
  type TaskRow,
  taskKey,
} from '../tasks/index.ts';
import { type DecisionInput, deny } from './question.ts';

/** The tools of a change task, and the phase in which each is due. */
const dueIn: Readonly<Record<string, ChangePhase>> = {
  'test.submit': 'red',
  'change.propose': 'change',
  'task.verify': 'verify',
  'change.promote': 'promote',
};

const nextStep: Readonly<Record<ChangePhase, string>> = {
  red: 'Submit a test that fails on the baseline first: test.submit.',
  change: 'Propose a change: change.propose.',
  verify: 'Have the change verified: task.verify.',
  promote: 'Promote the change that passed: change.promote.',
  held: `${gateLimits.repairsMax} changes did not pass: a person has to look at this task.`,
  done: 'The task is finished. Open a new one: task.open.',
};

const missing: Readonly<Record<ChangePhase, string>> = {
  red: 'there is no failing test yet',
  change: 'no change has been proposed yet',
  verify: 'the change has no verdict yet',
  promote: 'a change has passed and waits for its promotion',
  held: 'the task waits for a person',
  done: 'the task is finished',
};

/** A change passes through its phases in order: failing test, change, verdict, promotion. */
export function judgeChange(
  { actor, tool, facts, task }: DecisionInput,
  rows: ReadRows,
): RuleFinding[] {
  const due = Object.hasOwn(dueIn, tool) ? dueIn[tool] : undefined;
  if (due === undefined) return [];
  const row = task === undefined ? undefined : rows.get<ChangeTaskRow>(changeTaskKey(task));
  if (!row) return [deny('task.needed', 'this step needs a task', 'Open a task first: task.open.')];
  if (row.agent !== actor) {
    const remedy = 'Work on a task of your own.';
    return [deny('task.owner', `the task belongs to ${row.agent}`, remedy)];
  }
  if (row.phase !== due) return [deny('task.phase', missing[row.phase], nextStep[row.phase])];
  return [...judgeVersion(tool, facts, row), ...judgeParts(tool, row, rows)];
}

/** The promotion ends the task, so its child tasks must have ended before. */
function judgeParts(tool: string, { task }: ChangeTaskRow, rows: ReadRows): RuleFinding[] {
  if (tool !== 'change.promote') return [];
  const children = rows.get<TaskRow>(taskKey(task))?.children ?? 0;
  if (children === 0) return [];
  const remedy = 'Finish or cancel them first.';
  return [deny('task.children', `${children} child tasks are still open`, remedy)];
}

/** A verdict is for exactly one change on exactly one base. */
function judgeVersion(tool: string, facts: JsonObject, row: ChangeTaskRow): RuleFinding[] {
  if (facts.base !== undefined && facts.base !== row.base) {
    const remedy = `Rebase it on ${row.base}.`;
    return [deny('task.base', 'the change is not based on the version of the task', remedy)];
  }
  if (tool !== 'task.verify' && tool !== 'change.promote') return [];
  if (facts.change === row.change) return [];
  return [
    deny('task.change', 'this is not the change that the task admitted', nextStep[row.phase]),
  ];
}
