import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from './broken.ts';

/** One line of what a suite prints. */
export interface CheckLine {
  readonly check: string;
  readonly passed: boolean;
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly reason?: string;
  readonly requestId?: string | undefined;
}

/** A value is compared, a pattern is matched, a function is asked. */
export function holds(actual: unknown, expected: unknown): boolean {
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual);
  if (typeof expected === 'function') return Boolean(expected(actual));
  return isDeepStrictEqual(actual, expected);
}

/** What was expected is in an assertion that failed, whoever's it is; not so in other errors. */
export function lineOf(error: unknown, requestId: string | undefined): CheckLine {
  const reason = messageOf(error);
  const check = 'the suite ran to its end';
  if (!(error instanceof AssertionError)) return { check, passed: false, reason, requestId };
  const { expected, actual, generatedMessage } = error;
  // Node puts the comparison below the words of who wrote the assertion.
  const told = generatedMessage ? check : (reason.split('\n')[0] ?? check);
  return { check: told, passed: false, expected, actual, reason, requestId };
}

const jsonCharsMax = 2_000;

/** As JSON that a person and a program can read; of something long, the beginning. */
export function tell(value: unknown): unknown {
  if (value === undefined) return '(undefined)';
  if (value instanceof RegExp || typeof value === 'function' || typeof value === 'bigint') {
    return String(value).slice(0, jsonCharsMax);
  }
  const text = jsonOf(value);
  return text.length <= jsonCharsMax ? value : `${text.slice(0, jsonCharsMax)}…`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    return `(${messageOf(error)})`.padEnd(jsonCharsMax + 1);
  }
}
