import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Projection, Rows } from '../../ledger/index.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import type { GradeRow, JoinRow } from './api-schema.ts';
import { countIn, type JoinCounts, newCounts } from './join-counts.ts';
import { gradeKey, joinCountKey, joinKey, openJoinKey, taskJoinKey } from './join-row.ts';

type OpenedJoin = Omit<JoinRow, 'state' | 'reason' | 'settledSeq'>;

/** Joins, and which joins a child counts for. */
export const joins: Projection = {
  kinds: ['join-opened', 'join-settled'],
  keys: ({ kind, body }) => {
    const { join, task, children = [] } = body as OpenedJoin;
    const own = [joinKey(join), openJoinKey(join), joinCountKey(join)];
    return kind === 'join-opened'
      ? [...own, taskJoinKey(task, join), ...children.map(taskKey)]
      : own;
  },
  apply: (rows, entry) => (entry.kind === 'join-opened' ? open(rows, entry) : settle(rows, entry)),
};

function open(rows: Rows, { body }: Entry): void {
  const { contents: _, ...opened } = body as OpenedJoin & { contents?: unknown };
  const { join, task, children, expiresAt, evidence } = opened;
  rows.set(joinKey(join), { ...opened, state: 'waiting', reason: '', settledSeq: 0 });
  rows.set(openJoinKey(join), { expiresAt, needsEvidence: evidence.length > 0 });
  rows.set(taskJoinKey(task, join), { join });
  const tasks = children.map((child) => rows.get<TaskRow>(taskKey(child)));
  // What an ended child counts for is not in its row alone.
  const isExact = tasks.every((row) => row?.status === 'open');
  rows.set(joinCountKey(join), isExact ? newCounts(opened) : undefined);
  for (const child of children) {
    const row = rows.get<TaskRow>(taskKey(child));
    if (row) rows.set(taskKey(child), { ...row, joins: [...(row.joins ?? []), join] });
  }
}

function settle(rows: Rows, { body, seq }: Entry): void {
  const key = joinKey(String(body.join));
  const row = rows.get<JoinRow>(key);
  if (!row) throw new Error(`the join ${body.join} does not exist`);
  const state = body.state === 'met' ? 'met' : 'missed';
  rows.set(key, { ...row, state, reason: String(body.reason), settledSeq: seq });
  rows.set(openJoinKey(row.join), undefined);
  const counts = rows.get<JoinCounts>(joinCountKey(row.join));
  if (counts) rows.set(joinCountKey(row.join), { ...counts, isSettled: true });
}

/** How many children of each join have ended, so that the end of one looks at no other. */
export const joinCounts: Projection = {
  kinds: ['task-closed', 'task-cancelled'],
  keys: ({ body }) => joinsOf(body).map(joinCountKey),
  apply: (rows, { kind, body }) => {
    // Another task has taken the place of a child that was replaced.
    if (body.replacedBy) return;
    for (const join of joinsOf(body)) {
      countIn(rows, join, kind === 'task-closed' ? { closed: 1 } : { cancelled: 1 });
    }
  },
};

const joinsOf = (body: JsonObject): readonly string[] => (body.joins ?? []) as readonly string[];

/** The newest grade of each finished task. */
export const grades: Projection = {
  kinds: ['task-graded'],
  keys: ({ body }) => [gradeKey(String(body.task)), ...joinsOf(body).map(joinCountKey)],
  apply: (rows, { body, seq }) => {
    const { task, author, grader, accepted } = body as Omit<GradeRow, 'gradedSeq'>;
    const before = rows.get<GradeRow>(gradeKey(task));
    const change = {
      accepted: Number(accepted) - Number(before?.accepted === true),
      refused: Number(!accepted) - Number(before?.accepted === false),
    };
    for (const join of joinsOf(body)) countIn(rows, join, change);
    rows.set(gradeKey(task), { task, author, grader, accepted, gradedSeq: seq });
  },
};
