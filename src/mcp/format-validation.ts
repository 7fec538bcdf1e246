import type { OperationResponse } from '../http/index.ts';
import { formatVerdict } from './format-verdict.ts';
import { shortValue } from './short.ts';
import type { ToolAnswer } from './tool-answer.ts';

type Validation = OperationResponse<'POST /v1/validations'>;

const logLinesMax = 20;

/** First the two flags that a harness checks, then what an agent needs for a repair. */
export function formatValidation(validation: Validation): ToolAnswer {
  const {
    tests_passed: tests,
    metrics_acceptable: metrics,
    verdict,
    error_logs: logs,
  } = validation;
  const formatted = formatVerdict(verdict);
  const next = { pass: 'Nothing is promoted by this.', fail: 'Repair it, then call it again.' };
  const last = verdict.verdict === 'inconclusive' ? 'Nothing was learnt.' : next[verdict.verdict];
  const lines = formatted.text.split('\n').filter((line) => !line.startsWith('Next: '));
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
  return { ...formatted, value: { ...validation, failed_tests, verdict: formatted.value }, text };
}
