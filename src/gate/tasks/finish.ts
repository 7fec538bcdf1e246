import { type Actor, fault } from '../../kernel/index.ts';
import type { TaskRow } from './api-schema.ts';
import { checkOwner } from './carve.ts';

/** The proposal to finish a task is itself one of its open ones. */
const ownProposals = 1;

/** Whether nothing of a task is left open. What its contract demands besides, the gate decides. */
export function checkFinish(row: TaskRow, actor: Actor): void {
  const { task, status, children, openProposals, phase } = row;
  if (status !== 'open') throw fault('TASK_CLOSED', { task, status });
  checkOwner(row, actor);
  if (children > 0) throw fault('TASK_HAS_OPEN_CHILDREN', { task, children });
  const proposals = openProposals - ownProposals;
  if (proposals > 0) throw fault('TASK_HAS_OPEN_PROPOSALS', { task, proposals });
  const next = nextPhase(row);
  if (phase !== null && next !== null) {
    throw fault('TASK_PHASE_ORDER', { task, from: phase, to: 'its end', next });
  }
}

/** The phases of a task are gone through one by one, and never back. */
export function checkMove(row: TaskRow, actor: Actor, to: string): void {
  checkOwner(row, actor);
  const next = nextPhase(row);
  if (next === to) return;
  const { task, phase } = row;
  throw fault('TASK_PHASE_ORDER', { task, from: phase ?? 'none', to, next: next ?? 'none' });
}

function nextPhase({ phase, phases }: TaskRow): string | null {
  return phase === null ? null : (phases[phases.indexOf(phase) + 1] ?? null);
}
