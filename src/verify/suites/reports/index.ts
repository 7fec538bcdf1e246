import { redactText } from '../../../kernel/index.ts';
import { cut, type ReportedChecks, type SuiteOutput } from './check.ts';
import { readJsonLines } from './json-lines.ts';
import { readJunit } from './junit.ts';
import { readTap } from './tap.ts';

export type { Check } from '../../api-schema.ts';
export type { SuiteOutput } from './check.ts';
export { laneNeeded } from './json-lines.ts';

/** The formats in which a program may report checks. */
const readers = {
  json: readJsonLines,
  tap: readTap,
  junit: readJunit,
  exit: readExitCode,
} as const satisfies Record<string, (execution: SuiteOutput) => ReportedChecks>;

export type ReportForm = keyof typeof readers;

/** Pure: the checks, or why the report can't be relied on. */
export function readReport(form: ReportForm, execution: SuiteOutput): ReportedChecks {
  const report = readers[form](execution);
  return { ...report, broken: report.broken ?? contradiction(form, execution, report) };
}

/** A report that contradicts the exit code, or is empty, does not count as passed. */
function contradiction(
  form: ReportForm,
  { code }: SuiteOutput,
  { checks }: ReportedChecks,
): string | null {
  if (checks.length === 0) return `it checked nothing: ${howToReport(form)}`;
  if (code === null) return 'it ended with a signal';
  const silent = code !== 0 && checks.every(({ passed }) => passed);
  return silent ? `it ended with ${code}, but every check passed` : null;
}

/** How a program shows what it checked. */
function howToReport(form: ReportForm): string {
  const how = form === 'json' ? 'print one line of JSON for each check' : 'run at least one test';
  return `${how} (docs/suites.md), or set report: exit if its exit code is the result`;
}

/** Exit codes of a shell if the program is missing or can't be run. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

const linesMax = 20;

/** The exit code is the only check; the last output is the reason if it fails. */
function readExitCode({ code, output, errors }: SuiteOutput): ReportedChecks {
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
