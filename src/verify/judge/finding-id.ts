import { sha256 } from '../../kernel/index.ts';
import type { Dispute, SuiteRun } from '../api-schema.ts';
import { type Difference, isValue } from '../compare/difference.ts';
import { differenceClasses } from '../compare/difference-class.ts';
import { variantIn } from '../compare/hop-name.ts';
import type { Check } from '../suites/run-suite.ts';

/** In these classes, before and after are measured numbers, which are never the same twice. */
const measured: ReadonlySet<string> = new Set(
  differenceClasses.filter((name) => name !== 'security' && name !== 'contract'),
);

/** What it is, where, and which one: identifies the same difference in another round. */
export function differenceName(difference: Difference): string {
  return JSON.stringify(partsOf(difference));
}

/**
 * The same for every change that shows the difference. Disputes refer to it, so a new wording of
 * `place` or `which`, or of `before` and `after` in an unmeasured class, would end them early.
 */
export function differenceId(difference: Difference): string {
  const { class: kind, before, after } = difference;
  const made = asMade(difference);
  const isSteady = !measured.has(kind) && (made === difference || !isValue(difference));
  return idOf([...partsOf(made), ...(isSteady ? [before, after] : [])]);
}

/**
 * Of requests made for a change, many show one difference, and the simplest is reported. Its id is
 * that of all of them: otherwise the next one would be reported once this one is disputed. Those
 * with other credentials are apart, since access is another matter.
 */
function asMade(difference: Difference): Difference {
  const { hop, place } = difference;
  const variant = variantIn(hop);
  if (variant === undefined || /\bwith(?:out)? /.test(variant)) return difference;
  const plain = (text: string | null): string | null => text?.split(`, ${variant}`)[0] ?? null;
  return { ...difference, hop: `${plain(hop)}, made`, place: plain(place) };
}

function partsOf({ class: kind, what, service, hop, place, which }: Difference) {
  return [kind, what, service, hop, place, ...(which === undefined ? [] : [which])];
}

/** Of a suite that threw, the error is part of the id: its only check always has the same name. */
export function checkId(suite: string, { check, expected, actual }: Check): string {
  const isThrown = check === suiteEnded && expected === null && typeof actual === 'string';
  return idOf(['check', suite, check, ...(isThrown ? [steadyText(actual)] : [])]);
}

const suiteEnded = 'the suite ran to its end';

/** Without numbers and ids, which differ from run to run. */
function steadyText(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/[0-9a-f]*\d[\w.:-]*/gi, '0').slice(0, 200);
}

function idOf(parts: readonly (string | null)[]): string {
  return `fnd_${sha256(JSON.stringify(parts)).slice(0, 16)}`;
}

/**
 * Marks the differences that somebody disputes. A marked difference is only a notice, and it does
 * not explain others: the rest of the change is examined as closely as any change.
 */
export function markDisputed(
  differences: readonly Difference[],
  disputes: readonly Dispute[] = [],
): Difference[] {
  return differences.map((one): Difference => {
    const disputed = disputes.find(({ finding }) => finding === differenceId(one));
    return disputed ? { ...one, severity: 'notice', disputed } : one;
  });
}

/** Marks failed checks that somebody disputes; a suite in which no other check fails has passed. */
export function markDisputedChecks(run: SuiteRun, disputes: readonly Dispute[] = []): SuiteRun {
  const checks = run.checks.map((check) => {
    const id = check.passed ? null : checkId(run.suite, check);
    const disputed = disputes.find(({ finding }) => finding === id);
    return disputed ? { ...check, disputed } : check;
  });
  const isCleared = run.result === 'failed' && checks.every((one) => one.passed || one.disputed);
  return { ...run, checks, result: isCleared ? 'passed' : run.result };
}
