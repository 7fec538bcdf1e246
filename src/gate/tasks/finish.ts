import { type Actor, fault } from '../../kernel/index.ts';
import type { TaskRow } from './api-schema.ts';
import { checkOwner } from './carve.ts';

/** The proposal to finish a task is one of its open proposals. */
const ownProposals = 1;

/** Checks that nothing of the task is open. The gate decides about its contract. */
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

/** Phases advance one at a time and never go back. */
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
