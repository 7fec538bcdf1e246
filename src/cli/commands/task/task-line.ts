import type { OperationResponse } from '../../../http/index.ts';
import type { Output } from '../../format/output.ts';

export type Task = OperationResponse<'GET /v1/tasks/{task}'>;

export function showTask(task: Task, output: Output): void {
  output.value(task);
  showDetails(task, output);
}

export function showDetails(task: Task, output: Output): void {
  const { goal, tools, resources, phases, expiresAt, change } = task;
  const tell = (what: string, text: string): void => output.line(`    ${what.padEnd(9)} ${text}`);
  output.line(taskLine(task, output));
  if (goal !== null) tell('goal', goal);
  if (task.parent !== null) tell('parent', task.parent);
  if (phases.length > 0) tell('phases', phases.join(', '));
  if (tools !== null) tell('tools', tools.join(', ') || 'none');
  if (resources !== null) tell('resources', resources.join(', ') || 'none');
  if (expiresAt !== null) tell('until', new Date(expiresAt).toISOString());
  for (const [dimension, budget] of Object.entries(task.budgets)) {
    const { limit, spent, reserved, carved, free } = budget;
    const used = `${spent} spent, ${reserved} reserved, ${carved} split off`;
    tell(dimension, `${free} of ${limit} left (${used})`);
  }
  if (!change) return;
  tell('on', `version ${change.base.slice(0, 10)}`);
  if (change.test) tell('test', change.test);
  if (change.change) tell('change', `${change.change}, ${change.repairs} repairs`);
  for (const { id, verdict, reason } of change.attempts) tell(verdict, `${id}: ${reason}`);
  if (change.verdict) tell('verdict', change.verdict);
}

/** One task on one line. */
export function taskLine({ task, status, agent, ...more }: Task, output: Output): string {
  const { phase, change, budgets } = more;
  const where = change?.phase ?? phase;
  const left = Object.entries(budgets).map(([name, { free, limit }]) => `${name} ${free}/${limit}`);
  const facts = [status, ...(where === null ? [] : [`phase ${where}`]), `by ${agent}`, ...left];
  return `${output.tone('bold', task)}  ${facts.join(', ')}`;
}
