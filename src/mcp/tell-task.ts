import type { OperationResponse } from '../http/index.ts';
import type { Told } from './answer.ts';
import { shortText } from './short.ts';

type Task = OperationResponse<'GET /v1/tasks/{task}'>;
type TestRun = OperationResponse<'POST /v1/tasks/{task}/test'>;
type AdmittedChange = OperationResponse<'POST /v1/tasks/{task}/change'>;
type Promotion = OperationResponse<'POST /v1/tasks/{task}/promote'>;

const nextStep: Readonly<Record<Task['phase'], string>> = {
  red: 'submit_test with a test that fails on the current system',
  change: 'propose_change',
  verify: 'verify_change',
  promote: 'promote_change',
  held: 'nothing: too many changes did not pass, a person has to look',
  done: 'nothing: the change is promoted',
};

export function tellTask(value: Task): Told {
  const { task, base, phase, repairs } = value;
  const tried = repairs > 0 ? ` Changes that did not pass: ${repairs}.` : '';
  const text = `Task ${task} on version ${base}, phase ${phase}.${tried}\nNext: ${nextStep[phase]}.`;
  return { value, text };
}

export function tellTest(value: TestRun): Told {
  const failed = value.checks.filter(({ passed }) => !passed);
  const lines = failed.map(
    ({ check, expected, actual }) =>
      `- ${check}: expected ${shortText(expected)}, got ${shortText(actual)}`,
  );
  const head = `The test fails on the current system, as it should: ${failed.length} of ${value.checks.length} checks.`;
  return { value, text: [head, ...lines.slice(0, 20), 'Next: propose_change.'].join('\n') };
}

export function tellChange(value: AdmittedChange): Told {
  const { change, services } = value;
  const text = `Change ${change} is admitted; it touches ${services.join(', ')}.\nNext: verify_change.`;
  return { value, text };
}

export function tellPromotion(value: Promotion): Told {
  const { commit, services } = value;
  return { value, text: `Promoted: version ${commit} now runs in ${services.join(', ')}.` };
}
