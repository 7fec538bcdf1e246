import type { OperationResponse } from '../http/index.ts';
import { shortText } from './short.ts';
import type { ToolAnswer } from './tool-answer.ts';

type Task = OperationResponse<'GET /v1/tasks/{task}'>;
type TestRun = OperationResponse<'POST /v1/tasks/{task}/test'>;
type AdmittedChange = OperationResponse<'POST /v1/tasks/{task}/change'>;
type Promotion = OperationResponse<'POST /v1/tasks/{task}/promote'>;

type Change = NonNullable<Task['change']>;

const nextStep: Readonly<Record<Change['phase'], string>> = {
  red: 'submit_test with a test that fails on the baseline',
  change: 'propose_change',
  verify: 'verify_change',
  promote: 'promote_change',
  held: 'nothing: too many changes did not pass, a person has to look',
  done: 'nothing: the change is promoted',
};

export function formatTask(value: Task): ToolAnswer {
  const { change } = value;
  const lines = [...(change ? formatChangeTask(value, change) : formatPlainTask(value))];
  return { value, text: lines.join('\n') };
}

function formatChangeTask(value: Task, { base, phase, repairs, attempts }: Change): string[] {
  const tried = repairs > 0 ? ` Changes that did not pass: ${repairs}.` : '';
  return [
    `Task ${value.task} on version ${base}, phase ${phase}.${tried}`,
    ...attempts.map(formatAttempt),
    ...formatGiven(value),
    `Next: ${nextStep[phase]}.`,
  ];
}

/** Each repair needs the findings before it; a person needs all of them. */
function formatAttempt({ change, id, verdict, reason }: Change['attempts'][number]): string {
  return `- ${change}: ${verdict}, ${reason}. All of it: get_verdict {"verdict": "${id}"}.`;
}

function formatPlainTask(value: Task): string[] {
  const { task, status, goal, phase, phases, children } = value;
  const where = phase === null ? '' : `, phase ${phase} of ${phases.join(', ')}`;
  const next =
    status === 'open' ? 'finish_task when its goal is reached' : `nothing: it is ${status}`;
  return [
    `Task ${task}, ${status}${where}${goal === null ? '' : `: ${shortText(goal)}`}.`,
    ...formatGiven(value),
    ...(children > 0 ? [`Open tasks that were split off: ${children}.`] : []),
    `Next: ${next}.`,
  ];
}

/** What a task was given, and what is left of it. */
function formatGiven({ tools, resources, budgets, expiresAt }: Task): string[] {
  const left = Object.entries(budgets).map(([name, { free, limit }]) => `${name} ${free}/${limit}`);
  return [
    ...(tools ? [`Tools: ${tools.join(', ') || 'none'}.`] : []),
    ...(resources ? [`Resources: ${resources.join(', ') || 'none'}.`] : []),
    ...(left.length > 0 ? [`Budget left: ${left.join(', ')}.`] : []),
    ...(expiresAt === null ? [] : [`Ends at ${new Date(expiresAt).toISOString()}.`]),
  ];
}

export function formatTest(value: TestRun): ToolAnswer {
  const failed = value.checks.filter(({ passed }) => !passed);
  const lines = failed.map(
    ({ check, expected, actual }) =>
      `- ${check}: expected ${shortText(expected)}, got ${shortText(actual)}`,
  );
  const head = `The test fails on the baseline, as it should: ${failed.length} of ${value.checks.length} checks.`;
  return { value, text: [head, ...lines.slice(0, 20), 'Next: propose_change.'].join('\n') };
}

export function formatChange(value: AdmittedChange): ToolAnswer {
  const { change, services } = value;
  const text = `Change ${change} is admitted; it touches ${services.join(', ')}.\nNext: verify_change.`;
  return { value, text };
}

export function formatPromotion(value: Promotion): ToolAnswer {
  const { commit, branch, services } = value;
  const text = `Promoted: version ${commit} now runs in ${services.join(', ')}. The branch ${branch} of the repository has it.`;
  return { value, text };
}
