import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { LaneNeeded, messageOf, SuiteError } from './broken.ts';
import { type Captured, type CapturePoint, capture } from './capture.ts';
import {
  createClient,
  openSession,
  readHeaders,
  type SuiteClient,
  type SuiteResponse,
} from './client.ts';
import { type Database, Databases } from './database.ts';
import { eventually } from './eventually.ts';
import { type LogLine, readLogLines } from './log-lines.ts';

/** What a suite looks at the system with. */
export interface Suite {
  readonly api: SuiteClient;
  /** Where the system is and what every request must have, for clients of another kind. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Tells whether this is so, and goes on either way. A value is compared in depth, a pattern is
   * matched, a function is asked. `about` is the answer that it is about: the latest by default.
   */
  readonly check: (
    name: string,
    actual: unknown,
    expected: unknown,
    about?: SuiteResponse,
  ) => boolean;
  /** Looks again and again until it holds; throws when it is too late. */
  readonly eventually: typeof eventually;
  /** By the variable that services are told it by; DATABASE_URL by default. */
  readonly database: (variable?: string) => Database;
  /** What services wrote about a request, by its answer or its id. */
  readonly logs: (about: SuiteResponse | string) => Promise<LogLine[]>;
  /** Reads values inside the lane's copy of a service while `work` runs. */
  readonly capture: <Result>(
    point: CapturePoint,
    work: () => Promise<Result> | Result,
  ) => Promise<Captured<Result>>;
  /** Ends the suite as one that could not look: that fails nobody. */
  readonly giveUp: (reason: string) => never;
}

/**
 * A suite as a program: prints one JSON line per check and ends with 0 or 1. What it throws is a
 * failed check. When it can't look at all it says why and ends with 2, which fails nobody.
 */
export async function defineSuite(
  name: string,
  run: (suite: Suite) => Promise<unknown>,
): Promise<void> {
  const databases = new Databases(process.env);
  const report = new Report(name);
  try {
    const result = await run(suiteOver(databases, report));
    // One that only asserts says by returning true that it got to its end.
    if (report.checks === 0 && result === true) report.tell({ check: name, passed: true });
  } catch (error) {
    if (error instanceof SuiteError) report.giveUp(error);
    else report.tell(lineOf(error, report.latest?.requestId));
  } finally {
    await databases.close();
  }
  process.exitCode = Math.max(Number(process.exitCode ?? 0), report.exitCode);
}

function suiteOver(databases: Databases, report: Report): Suite {
  const session = openSession(process.env, (answer) => {
    report.latest = answer;
  });
  return {
    api: createClient(session),
    baseUrl: session.baseUrl,
    headers: readHeaders(process.env.HEADERS),
    check(check, actual, expected, about = report.latest) {
      const passed = holds(actual, expected);
      report.tell({ check, passed, expected, actual, requestId: about?.requestId });
      return passed;
    },
    eventually,
    database: (variable = 'DATABASE_URL') => databases.at(variable),
    logs: (about) => readLogLines(process.env, typeof about === 'string' ? about : about.requestId),
    capture: (point, work) => capture(process.env, point, work),
    giveUp: (reason) => {
      throw new SuiteError(reason);
    },
  };
}

class Report {
  readonly #suite: string;
  checks = 0;
  exitCode = 0;
  latest: SuiteResponse | undefined;

  constructor(suite: string) {
    this.#suite = suite;
  }

  tell({ expected, actual, ...line }: CheckLine): void {
    this.checks += 1;
    if (!line.passed) this.exitCode = Math.max(this.exitCode, 1);
    const compared = line.reason === undefined || expected !== undefined || actual !== undefined;
    print({
      suite: this.#suite,
      ...line,
      ...(compared ? { expected: tell(expected), actual: tell(actual) } : {}),
    });
  }

  giveUp(error: SuiteError): void {
    this.exitCode = 2;
    const needsLane = error instanceof LaneNeeded ? { needsLane: true } : {};
    print({ suite: this.#suite, broken: messageOf(error), ...needsLane });
  }
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** One line of what a suite prints. */
interface CheckLine {
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
