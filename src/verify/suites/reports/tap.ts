import { redactText } from '../../../kernel/index.ts';
import type { Check } from '../../api-schema.ts';
import { cut, type ReportedChecks, type SuiteOutput } from './check.ts';

/** A test of the outermost level; indented lines belong to such a test. */
interface Line {
  readonly ok: boolean;
  readonly name: string;
  readonly directive: string;
  readonly notes: Map<string, string>;
}

const testForm = /^(not )?ok\b(?:\s+\d+)?(?:\s*-)?\s*(.*)$/;
const planForm = /^1\.\.(\d+)(?:\s*#\s*(.*))?$/;
const innerForm = /^\s+not ok\b(?:\s+\d+)?(?:\s*-)?\s*(.*)$/;
const noteForm = /^ {1,3}(message|error|expected|actual|requestId):\s*(.+)$/;

/** Test Anything Protocol, versions 12 to 14: a plan, and a line for each test. */
export function readTap({ output }: SuiteOutput): ReportedChecks {
  const tests: Line[] = [];
  const inner: string[] = [];
  let planned: number | undefined;
  for (const text of output.split(/\r?\n/)) {
    const bail = /^Bail out!\s*(.*)$/.exec(text);
    if (bail) return reportOf(tests, `it gave up: ${cut(bail[1] || 'without a reason')}`);
    const plan = planForm.exec(text);
    if (plan) planned = Number(plan[1]);
    const test = testForm.exec(text);
    if (test) tests.push(testOf(test, inner.splice(0)));
    const failed = innerForm.exec(text);
    if (failed?.[1]) inner.push(failed[1]);
    const note = noteForm.exec(text);
    if (note) tests.at(-1)?.notes.set(String(note[1]), unquoted(String(note[2])));
  }
  if (planned === undefined)
    return reportOf(tests, 'it printed no plan, as in 1..3: it may be cut off');
  const differs = planned !== tests.length;
  return reportOf(
    tests,
    differs ? `it planned ${planned} tests and reported ${tests.length}` : null,
  );
}

/** `inner`: its failed subtests, which are printed before it. */
function testOf([, failed, rest = '']: RegExpExecArray, inner: readonly string[]): Line {
  const at = rest.search(/(?:^|\s)#\s*(?:skip|todo)\b/i);
  const directive =
    at < 0
      ? ''
      : rest
          .slice(at)
          .replace(/^\s*#\s*/, '')
          .slice(0, 4)
          .toLowerCase();
  const name = (at < 0 ? rest : rest.slice(0, at)).trim();
  const notes = new Map(inner.length > 0 ? [['inner', inner.join(', ')]] : []);
  return { ok: !failed, name: cut(name), directive, notes };
}

function unquoted(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2');
}

/** Skipped tests were not run; `todo` tests may fail. */
function reportOf(tests: readonly Line[], broken: string | null): ReportedChecks {
  const run = tests.filter(({ directive }) => directive !== 'skip');
  return { checks: run.map(toCheck), broken };
}

function toCheck({ ok, name, directive, notes }: Line, index: number): Check {
  const reason =
    notes.get('inner') ?? notes.get('actual') ?? notes.get('message') ?? notes.get('error');
  return {
    check: name || `test ${index + 1}`,
    passed: ok || directive === 'todo',
    expected: cut(redactText(notes.get('expected') ?? 'ok')),
    actual: ok ? 'ok' : cut(redactText(reason ?? 'not ok')),
    requestId: notes.get('requestId') ?? null,
  };
}
