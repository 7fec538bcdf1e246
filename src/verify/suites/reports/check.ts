import type { Check } from '../../api-schema.ts';

/** How the program of a suite ended, and what it printed. */
export interface SuiteOutput {
  readonly output: string;
  /** The end of its standard error. */
  readonly errors: string;
  readonly code: number | null;
  /** The texts of its report files. */
  readonly files: readonly string[];
}

/** The checks of a report. `broken`: why it can't be relied on; null if it can. */
export interface ReportedChecks {
  readonly checks: readonly Check[];
  readonly broken: string | null;
}

const textCharsMax = 2_000;

/** Names and reasons are short. */
export function cut(text: string): string {
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}…`;
}
