import {
  findJoin,
  findTask,
  type GradeRow,
  gradeKey,
  type JoinPart,
  type JoinRow,
  judgeJoin,
  type TaskRow,
} from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import { type Actor, fault, type Instant, type Json } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import { mayLook } from './task-view.ts';

type ShownJoin = OperationResponse<'GET /v1/joins/{join}'>;

/** Who looks at it, and when. */
export interface JoinReader {
  readonly ledger: Ledger;
  readonly actor: Actor;
  readonly now: Instant;
}

/** A join with what each child has contributed so far, as `actor` may see it. */
export async function showJoin(join: string, reader: JoinReader): Promise<ShownJoin> {
  const { ledger, actor } = reader;
  const row = await findJoin(join, { ledger });
  if (!(await mayLook(actor, await findTask(ledger, row.task), ledger))) {
    throw fault('NOT_FOUND', { what: `join ${join}` });
  }
  return formJoin(row, reader);
}

export async function formJoin(row: JoinRow, { ledger, now }: JoinReader): Promise<ShownJoin> {
  const { parts } = await ledger.transact({
    keys: [],
    decide: (rows) => {
      const ruling = judgeJoin(row, rows, now);
      return { drafts: [], result: () => ruling };
    },
  });
  const { agent: _, settledSeq: __, ...shown } = row;
  return { ...shown, children: await Promise.all(parts.map((part) => showPart(part, ledger))) };
}

async function showPart(
  { child, task, state, missing }: JoinPart,
  ledger: Ledger,
): Promise<ShownJoin['children'][number]> {
  const row = await findTask(ledger, task);
  const grade = await readRow<GradeRow>(ledger, gradeKey(task));
  return {
    task,
    agent: row.agent,
    state,
    missing: [...missing],
    replaces: child === task ? null : child,
    grader: grade?.grader ?? null,
    result: await resultOf(row, ledger),
  };
}

async function resultOf({ endedSeq, status }: TaskRow, ledger: Ledger): Promise<Json> {
  if (status !== 'closed') return null;
  const contents = await ledger.contents(endedSeq);
  return contents.find(({ name }) => name === 'result')?.value ?? null;
}
