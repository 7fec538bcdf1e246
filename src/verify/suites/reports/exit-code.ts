import { redactText } from '../../../kernel/index.ts';
import { cut, type ReportedChecks, type SuiteOutput } from './check.ts';

/** Exit codes of a shell if the program is missing or can't be run. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

const linesMax = 20;

/** The exit code is the only check; the last output is the reason if it fails. */
export function readExitCode({ code, output, errors }: SuiteOutput): ReportedChecks {
  if (code === null) return { checks: [], broken: 'it ended with a signal' };
  if (notRun.has(code)) return { checks: [], broken: `it ended with ${code}` };
  const written = (errors.trim() || output.trim()).split('\n').slice(-linesMax).join('\n');
  const actual = code === 0 ? 0 : cut(redactText(`${code}: ${written}`));
  const check = 'the command ends with 0';
  return {
    checks: [{ check, passed: code === 0, expected: 0, actual, requestId: null }],
    broken: null,
  };
}
