import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';
import type { ChangeAttempt, ChangeTaskRow } from './api-schema.ts';

export const changeTaskKey = (task: string): string => `task-change/${task}`;

type Step = (row: ChangeTaskRow, entry: Entry) => ChangeTaskRow;

/** The effect of each kind of entry on its task. */
const steps: Readonly<Record<string, Step>> = {
  'test-proven': (row, { body, seq }) => ({
    ...row,
    phase: 'change',
    test: String(body.test),
    testSeq: seq,
  }),
  'change-admitted': (row, { body, seq }) => ({
    ...row,
    phase: 'verify',
    change: String(body.change),
    changeSeq: seq,
    verdict: null,
  }),
  'verdict-reached': (row, { body }) => afterVerdict(row, body),
  'base-moved': (row, { body }) => ({
    ...row,
    // If the change no longer applies, another one has to be proposed.
    phase: body.change === null ? 'change' : 'verify',
    base: String(body.base),
    change: body.change === null ? null : String(body.change),
    verdict: null,
  }),
  // What it was let through by no longer counts; the change is still the same.
  'verdict-lapsed': (row, { body }) =>
    body.verdict === row.verdict ? { ...row, phase: 'verify', verdict: null } : row,
  'change-promoted': (row) => ({ ...row, phase: 'done' }),
};

function afterVerdict(row: ChangeTaskRow, body: JsonObject): ChangeTaskRow {
  const { verdict, id, reason = '', findings } = body;
  // What was found of another change says nothing about the one that is admitted.
  if (body.change !== row.change) return row;
  if (verdict === 'pass') return { ...row, phase: 'promote', verdict: String(id) };
  const repairs = row.repairs + 1;
  const attempt: ChangeAttempt = {
    change: String(row.change),
    id: String(id),
    verdict: String(verdict),
    reason: String(reason),
    findings: Array.isArray(findings) ? findings.map(String) : [],
  };
  const attempts = [...(row.attempts ?? []), attempt];
  return { ...row, repairs, attempts, phase: repairs >= gateLimits.repairsMax ? 'held' : 'change' };
}

export const changeTasks: Projection = {
  kinds: ['task-opened', ...Object.keys(steps)],
  keys: (entry) => (isAboutTask(entry) ? [changeTaskKey(String(entry.body.task))] : []),
  apply: (rows, entry) => {
    if (!isAboutTask(entry)) return;
    if (entry.kind === 'task-opened') open(rows, entry);
    else move(rows, entry);
  },
};

/** A verdict that a person asked for belongs to no task, and not every task has a base. */
function isAboutTask({ kind, body }: Entry): boolean {
  return Boolean(body.task) && (kind !== 'task-opened' || Boolean(body.base));
}

function open(rows: Rows, { body, actor }: Entry): void {
  const task = String(body.task);
  const row: ChangeTaskRow = {
    task,
    agent: String(body.agent ?? actor),
    base: String(body.base),
    phase: 'red',
    repairs: 0,
    test: null,
    testSeq: 0,
    change: null,
    changeSeq: 0,
    verdict: null,
    attempts: [],
  };
  rows.set(changeTaskKey(task), row);
}

function move(rows: Rows, entry: Entry): void {
  const key = changeTaskKey(String(entry.body.task));
  const row = rows.get<ChangeTaskRow>(key);
  if (row) rows.set(key, steps[entry.kind]?.(row, entry) ?? row);
}
