import type { Check } from '../../api-schema.ts';

/** How a program that checks something ended, and what it left. */
export interface Execution {
  readonly output: string;
  /** The end of what it wrote to its standard error. */
  readonly errors: string;
  readonly code: number | null;
  /** Texts of the files that it left as its report. */
  readonly files: readonly string[];
}

/** What it said. `broken`: why that can't be relied on; null when it can. */
export interface Told {
  readonly checks: readonly Check[];
  readonly broken: string | null;
}

const textCharsMax = 2_000;

/** What is long is no name and no reason any more. */
export function cut(text: string): string {
  return text.length <= textCharsMax ? text : `${text.slice(0, textCharsMax)}…`;
}
