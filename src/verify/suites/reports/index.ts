import type { ReportedChecks, SuiteOutput } from './check.ts';
import { readExitCode } from './exit-code.ts';
import { readJsonLines } from './json-lines.ts';
import { readJunit } from './junit.ts';
import { readTap } from './tap.ts';

export type { Check } from '../../api-schema.ts';
export type { SuiteOutput } from './check.ts';

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
  return { ...report, broken: report.broken ?? contradiction(execution, report) };
}

/** A report that contradicts the exit code, or is empty, does not count as passed. */
function contradiction({ code }: SuiteOutput, { checks }: ReportedChecks): string | null {
  if (checks.length === 0) return 'it checked nothing';
  if (code === null) return 'it ended with a signal';
  const silent = code !== 0 && checks.every(({ passed }) => passed);
  return silent ? `it ended with ${code}, but every check passed` : null;
}
