import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { gateLimits } from '../limits.ts';

/**
 * Where a task that is about a change stands. First a test that fails, then the change, then its
 * verdict, then its promotion; `held` waits for a person.
 */
export type ChangePhase = 'red' | 'change' | 'verify' | 'promote' | 'held' | 'done';

/** What a task that is about a change has besides its place in the tree. */
export type ChangeTaskRow = {
  readonly task: string;
  readonly agent: string;
  /** The version on which the task is worked. */
  readonly base: string;
  readonly phase: ChangePhase;
  /** Verdicts that were not a pass. */
  readonly repairs: number;
  /** The failing test that was seen, and the entry that holds it. */
  readonly test: string | null;
  readonly testSeq: number;
  /** The change that is admitted now, and the entry that holds it. */
  readonly change: string | null;
  readonly changeSeq: number;
  /** The verdict that it passed. */
  readonly verdict: string | null;
  /** What was tried and did not pass, oldest first: what the next repair, or a person, goes by. */
  readonly attempts: readonly Attempt[];
};

/** A change that did not pass, and why. */
type Attempt = {
  readonly change: string;
  readonly id: string;
  readonly verdict: string;
  readonly reason: string;
  /** The ids of its findings. */
  readonly findings: readonly string[];
};

export const changeTaskKey = (task: string): string => `task-change/${task}`;

type Step = (row: ChangeTaskRow, entry: Entry) => ChangeTaskRow;

/** What each kind of entry does to the task that it names. */
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
    // Where it can't be applied any more, another change has to be proposed.
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
  const attempt: Attempt = {
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
