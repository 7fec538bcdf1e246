import type { Instant } from '../../kernel/index.ts';
import type { ReadRows } from '../../ledger/index.ts';
import { type EvidenceRow, evidenceKey } from '../evidence.ts';
import { type TaskRow, taskKey } from '../tasks/index.ts';
import type { GradeRow, JoinRow, PartState } from './api-schema.ts';
import { gradeKey } from './join-row.ts';

/** A child of a join, or the task that replaced it. */
export interface JoinPart {
  readonly child: string;
  readonly task: string;
  readonly state: PartState;
  readonly missing: readonly string[];
}

export interface JoinRuling {
  readonly state: JoinRow['state'];
  readonly reason: string;
  readonly parts: readonly JoinPart[];
}

/** Whether a join is met, can still be met, or is missed. Reads only rows. */
export function judgeJoin(join: JoinRow, rows: ReadRows, now: Instant): JoinRuling {
  const parts = join.children.map((child) => judgePart(join, child, rows));
  return { ...conclude(join, parts, now), parts };
}

function conclude(
  { needed, expiresAt, children }: JoinRow,
  parts: readonly JoinPart[],
  now: Instant,
): Pick<JoinRuling, 'state' | 'reason'> {
  const count = (state: PartState): number => parts.filter((part) => part.state === state).length;
  const [counted, failed] = [count('counted'), count('failed')];
  const counts = `${counted} of ${children.length} children count, ${needed} needed`;
  if (counted >= needed) return { state: 'met', reason: counts };
  if (children.length - failed < needed) {
    return { state: 'missed', reason: `${failed} children failed: ${counts}` };
  }
  if (expiresAt !== null && now >= expiresAt) {
    return { state: 'missed', reason: `the deadline passed: ${counts}` };
  }
  return { state: 'waiting', reason: '' };
}

function judgePart(join: JoinRow, child: string, rows: ReadRows): JoinPart {
  const row = currentTask(child, rows);
  if (!row) return { child, task: child, state: 'failed', missing: ['the task does not exist'] };
  const { task, status } = row;
  if (status === 'open') return { child, task, state: 'open', missing: ['it is not finished'] };
  if (status === 'cancelled') return { child, task, state: 'failed', missing: ['it is cancelled'] };
  const grade = rows.get<GradeRow>(gradeKey(task));
  if (grade && !grade.accepted) {
    return { child, task, state: 'failed', missing: [`${grade.grader} refused its result`] };
  }
  const missing = missingProof(join, task, grade, rows);
  return { child, task, state: missing.length === 0 ? 'counted' : 'unproven', missing };
}

/** The task at the end of a row of replacements. */
function currentTask(child: string, rows: ReadRows): TaskRow | undefined {
  let row = rows.get<TaskRow>(taskKey(child));
  while (row?.replacedBy !== undefined) row = rows.get<TaskRow>(taskKey(row.replacedBy));
  return row;
}

function missingProof(
  { evidence, graded }: JoinRow,
  task: string,
  grade: GradeRow | undefined,
  rows: ReadRows,
): string[] {
  const absent = evidence.filter((kind) => !rows.get<EvidenceRow>(evidenceKey(kind, task)));
  return [
    ...absent.map((kind) => `evidence ${kind}`),
    ...(graded && !grade ? ['a grade by another agent than its author'] : []),
  ];
}
