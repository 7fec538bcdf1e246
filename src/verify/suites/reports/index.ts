import type { Execution, Told } from './check.ts';
import { readExitCode } from './exit-code.ts';
import { readJsonLines } from './json-lines.ts';
import { readJunit } from './junit.ts';
import { readTap } from './tap.ts';

export type { Check } from '../../api-schema.ts';
export type { Execution } from './check.ts';

/** The forms in which a program may say what it saw. */
const readers = {
  json: readJsonLines,
  tap: readTap,
  junit: readJunit,
  exit: readExitCode,
} as const satisfies Record<string, (execution: Execution) => Told>;

export type ReportForm = keyof typeof readers;

/** Pure: what it said, or why that can't be relied on. */
export function readReport(form: ReportForm, execution: Execution): Told {
  const told = readers[form](execution);
  return { ...told, broken: told.broken ?? contradiction(execution, told) };
}

/** Whoever says two things at once, or nothing, has not said that all is well. */
function contradiction({ code }: Execution, { checks }: Told): string | null {
  if (checks.length === 0) return 'it checked nothing';
  if (code === null) return 'it ended with a signal';
  const silent = code !== 0 && checks.every(({ passed }) => passed);
  return silent ? `it ended with ${code}, but every check held` : null;
}
