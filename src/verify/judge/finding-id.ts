import { sha256 } from '../../kernel/index.ts';
import type { Difference } from '../compare/index.ts';
import type { Check } from '../suites/run-suite.ts';

/** Of these, before and after are numbers that are never the same twice. */
const measured: ReadonlySet<string> = new Set([
  'start',
  'calls',
  'writes',
  'error',
  'status',
  'signal',
  'load',
]);

/** What it is, where, and which one of those: by this it is known again in another round. */
export function differenceName(difference: Difference): string {
  return JSON.stringify(partsOf(difference));
}

/** Named so that it can be spoken of when another change does it, too. */
export function differenceId(difference: Difference): string {
  const { class: kind, before, after } = difference;
  return idOf([...partsOf(difference), ...(measured.has(kind) ? [] : [before, after])]);
}

function partsOf({ class: kind, what, service, hop, place, which }: Difference) {
  return [kind, what, service, hop, place, ...(which === undefined ? [] : [which])];
}

/** A suite that threw has checked nothing by name: what it threw tells one end from another. */
export function checkId(suite: string, { check, expected, actual }: Check): string {
  const isThrown = check === suiteEnded && expected === null && typeof actual === 'string';
  return idOf(['check', suite, check, ...(isThrown ? [steadyText(actual)] : [])]);
}

const suiteEnded = 'the suite ran to its end';

/** Without what differs from one time to the next. */
function steadyText(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/[0-9a-f]*\d[\w.:-]*/gi, '0').slice(0, 200);
}

function idOf(parts: readonly (string | null)[]): string {
  return `fnd_${sha256(JSON.stringify(parts)).slice(0, 16)}`;
}
