import type { OperationResponse } from '../http/index.ts';
import { shortValue } from './short.ts';
import { tellVerdict } from './tell-verdict.ts';
import type { ToolAnswer } from './told.ts';

type Validation = OperationResponse<'POST /v1/validations'>;

const logLinesMax = 20;

/** What a harness branches on first, then what an agent repairs by. */
export function tellValidation(validation: Validation): ToolAnswer {
  const {
    tests_passed: tests,
    metrics_acceptable: metrics,
    verdict,
    error_logs: logs,
  } = validation;
  const told = tellVerdict(verdict);
  const next = { pass: 'Nothing is promoted by this.', fail: 'Repair it, then call it again.' };
  const last = verdict.verdict === 'inconclusive' ? 'Nothing was learnt.' : next[verdict.verdict];
  const lines = told.text.split('\n').filter((line) => !line.startsWith('Next: '));
  const text = [
    `tests_passed: ${tests}, metrics_acceptable: ${metrics}`,
    ...lines,
    ...logs.slice(-logLinesMax).map((line) => `log: ${line}`),
    last,
  ].join('\n');
  const failed_tests = validation.failed_tests.map((test) => ({
    ...test,
    expected: shortValue(test.expected),
    actual: shortValue(test.actual),
  }));
  return { ...told, value: { ...validation, failed_tests, verdict: told.value }, text };
}
