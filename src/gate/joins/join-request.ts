import { fault } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskRow } from '../tasks/index.ts';
import type { JoinRequest } from './api-schema.ts';

/** Checks what must hold for any join, whatever its children are. */
export function checkJoinRequest(request: JoinRequest, children: readonly string[]): void {
  const { mode, count, evidence = [], graded = false } = request;
  if (children.length === 0) throw invalid('the task has no open child, and none is named');
  const limit = gateLimits.joinChildrenMax;
  if (children.length > limit) throw invalid(`it has more than ${limit} children`);
  if (new Set(children).size < children.length) throw invalid('a child is named twice');
  if ((mode === 'quorum') !== (count !== undefined)) {
    throw invalid('quorum needs a count, and no other mode takes one');
  }
  if (count !== undefined && count > children.length) {
    throw invalid(`${count} of ${children.length} children can never count`);
  }
  if (mode === 'first-verified' && evidence.length === 0 && !graded) {
    throw invalid('first-verified needs evidence or graded, which say what verified means');
  }
}

/** How many children have to count. */
export function neededChildren({ mode, count = 1 }: JoinRequest, children: number): number {
  if (mode === 'all') return children;
  return mode === 'quorum' ? count : 1;
}

export function checkChild(row: TaskRow | undefined, child: string, parent: string): void {
  if (!row) throw fault('TASK_UNKNOWN', { task: child });
  if (row.parent !== parent) throw invalid(`${child} is not a child of ${parent}`);
  const limit = gateLimits.joinsPerChildMax;
  if ((row.joins?.length ?? 0) >= limit)
    throw invalid(`${child} counts for ${limit} joins already`);
}

const invalid = (reason: string): Error => fault('JOIN_INVALID', { reason });
