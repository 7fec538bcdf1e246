import type { Actor } from '../../kernel/index.ts';
import type {
  DegradedMetric,
  FailedTest,
  Finding,
  Validation,
  VerifiedChange,
} from '../api-schema.ts';
import { isErrorLine, type LogLine } from '../compare/index.ts';
import type { VerifyContext } from './context.ts';
import type { VerifyRequest } from './request.ts';
import { verifyChange } from './verify.ts';

export interface ValidationRequest extends VerifyRequest {
  readonly timeoutMs: number;
}

/** One call for a harness: the change in a lane, judged within a time; lanes are closed by then. */
export async function deployAndValidate(
  actor: Actor,
  { timeoutMs, ...request }: ValidationRequest,
  context: VerifyContext,
): Promise<Validation> {
  const lines: LogLine[] = [];
  const signal = AbortSignal.timeout(timeoutMs);
  const onLogs = (seen: readonly LogLine[]): unknown => lines.push(...seen);
  const verdict = await verifyChange(actor, request, { ...context, signal, onLogs });
  return validationOf(verdict, lines);
}

const errorLogLinesMax = 100;

/** Pure. Both are true for a `pass` and for nothing else. */
export function validationOf(verdict: VerifiedChange, lines: readonly LogLine[]): Validation {
  const { findings, checks } = verdict;
  const isPass = verdict.verdict === 'pass';
  const failed_tests = findings.flatMap(failedTest);
  const degraded_metrics = findings.flatMap(degradedMetric);
  const errors = lines.filter(({ text }) => isErrorLine(text));
  const told = [
    ...errors.map(({ service, text }) => `${service}  ${text}`),
    ...findings.flatMap(({ logs }) => logs),
  ];
  const isFailed = verdict.verdict === 'fail';
  return {
    // That nothing was checked says nothing for the change.
    tests_passed: isPass || (isFailed && checks.failed === 0 && checks.passed > 0),
    metrics_acceptable: isPass || (isFailed && degraded_metrics.length === 0 && checks.failed > 0),
    failed_tests,
    degraded_metrics,
    error_logs: [...new Set(told)].slice(-errorLogLinesMax),
    verdict,
  };
}

function failedTest(finding: Finding): FailedTest[] {
  if (finding.kind !== 'check') return [];
  const { suite, check: test, service, expected, actual } = finding;
  return [{ suite, test, service, expected, actual }];
}

function degradedMetric(finding: Finding): DegradedMetric[] {
  if (finding.kind === 'check') return [];
  const { service, what, before, after } = finding;
  if (finding.kind === 'wire') {
    const where = `${finding.hop}, ${finding.part} ${finding.field}`;
    return [{ service, metric: `contract ${what}`, where, before, after }];
  }
  const where = [finding.hop, finding.place].filter((one) => one !== null).join(', ');
  return [{ service, metric: `${finding.class} ${what}`, where: where || service, before, after }];
}
