import { sha256 } from '../kernel/index.ts';
import type { Difference } from './differences/index.ts';

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

/** Named by what it is and where, so that it can be spoken of when another change does it, too. */
export function differenceId({
  class: kind,
  what,
  service,
  hop,
  place,
  ...seen
}: Difference): string {
  const values = measured.has(kind) ? [] : [seen.before, seen.after];
  return idOf([kind, what, service, hop, place, ...values]);
}

export function checkId(suite: string, check: string): string {
  return idOf(['check', suite, check]);
}

function idOf(parts: readonly (string | null)[]): string {
  return `fnd_${sha256(JSON.stringify(parts)).slice(0, 16)}`;
}
