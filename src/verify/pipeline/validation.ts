import type { Actor } from '../../kernel/index.ts';
import type {
  DegradedMetric,
  FailedTest,
  Finding,
  Validation,
  VerifiedChange,
} from '../api-schema.ts';
import { isErrorLine, type ServiceLogLine } from '../compare/index.ts';
import type { VerifyContext } from './context.ts';
import type { VerifyRequest } from './request.ts';
import { verifyChange } from './verify.ts';

interface TimedVerifyRequest extends VerifyRequest {
  readonly timeoutMs: number;
}

/** One call for a harness: verifies a change within a time limit and closes its lanes. */
export async function deployAndValidate(
  actor: Actor,
  { timeoutMs, ...request }: TimedVerifyRequest,
  context: VerifyContext,
): Promise<Validation> {
  const lines: ServiceLogLine[] = [];
  const signal = AbortSignal.timeout(timeoutMs);
  const onLogs = (more: readonly ServiceLogLine[]): unknown => lines.push(...more);
  const verdict = await verifyChange(actor, request, { ...context, signal, onLogs });
  return validationOf(verdict, lines);
}

const errorLogLinesMax = 100;

/** Pure. Both are true only for a `pass`. */
export function validationOf(
  verdict: VerifiedChange,
  lines: readonly ServiceLogLine[],
): Validation {
  const { findings, checks } = verdict;
  const isPass = verdict.verdict === 'pass';
  const failed_tests = findings.flatMap(failedTest);
  const degraded_metrics = findings.flatMap(degradedMetric);
  const errors = lines.filter(({ text }) => isErrorLine(text));
  const logs = [
    ...errors.map(({ service, text }) => `${service}  ${text}`),
    ...findings.flatMap((finding) => finding.logs),
  ];
  const isFailed = verdict.verdict === 'fail';
  return {
    // Without checks nothing is known about the change.
    tests_passed: isPass || (isFailed && checks.failed === 0 && checks.passed > 0),
    metrics_acceptable: isPass || (isFailed && degraded_metrics.length === 0 && checks.failed > 0),
    failed_tests,
    degraded_metrics,
    error_logs: [...new Set(logs)].slice(-errorLogLinesMax),
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
