import type { Hop } from '../../lanes/index.ts';
import { findReordered } from './call-order.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, isSafe } from './hop-name.ts';
import { findPiecemeal } from './piecemeal.ts';
import { type Recordings, wholeOf } from './recording.ts';
import { type Served, servedOf } from './served.ts';

/** New, missing, repeated and reordered calls, below every call that both versions served. */
export function findCallChanges(recordings: Recordings): Difference[] {
  const { known, candidate } = wholeOf(recordings);
  const before = Map.groupBy(known.flatMap(servedOf), ({ hop }) => hopName(hop));
  const after = Map.groupBy(servedOf(candidate), ({ hop }) => hopName(hop));
  return [...after].flatMap(([name, now]) => {
    const were = before.get(name);
    if (!were) return [];
    return [...findPiecemeal(were, now), ...compareCounts(were, now), ...findReordered(were, now)];
  });
}

/** So many new questions for one request are one for each of something. */
const piecesMin = 3;

interface Counts {
  readonly min: number;
  readonly max: number;
  readonly sample: Hop | null;
}

function countsOf(served: readonly Served[], name: string): Counts {
  const counts = served.map(({ calls }) => calls.filter((call) => hopName(call) === name));
  const lengths = counts.map(({ length }) => length);
  const sample = counts.find(({ length }) => length === Math.max(...lengths))?.[0] ?? null;
  return { min: Math.min(...lengths), max: Math.max(...lengths), sample };
}

function compareCounts(were: readonly Served[], now: readonly Served[]): Difference[] {
  const names = new Set([...were, ...now].flatMap(({ calls }) => calls.map(hopName)));
  return [...names].flatMap((name) => {
    const [was, is] = [countsOf(were, name), countsOf(now, name)];
    const parent = (now[0] as Served).hop;
    const confidence = certaintyOf(were.length);
    if (is.max > was.max) return [moreCalls({ name, was, is, now, parent, confidence })];
    if (is.min >= was.min) return [];
    const missing = missingCall(name, was, parent, confidence);
    return is.max === 0 ? [missing] : fewerEffects(missing, { name, was, now });
  });
}

interface More {
  readonly name: string;
  readonly was: Counts;
  readonly is: Counts;
  readonly now: readonly Served[];
  readonly parent: Hop;
  readonly confidence: number;
}

function moreCalls({ name, was, is, now, parent, confidence }: More): Difference {
  const call = is.sample as Hop;
  const what = was.max === 0 ? 'call-new' : repetition(now, name);
  return {
    class: 'calls',
    what,
    service: parent.to,
    hop: name,
    place: `below ${hopName(parent)}`,
    before: `${was.max} times`,
    after: `${is.max} times`,
    examples: { before: was.sample?.path ?? null, after: call.path },
    // To ask for something new is no harm in itself; to do something new, or to ask for it piece by
    // piece, may be.
    severity: what === 'call-new' && isSafe(call) && is.max < piecesMin ? 'notice' : 'fail',
    confidence,
  };
}

/** Why there are more: the same was done twice, it was tried again, or asked for piece by piece. */
function repetition(now: readonly Served[], name: string): string {
  const groups = now.map(({ calls }) => calls.filter((call) => hopName(call) === name));
  if (groups.some((calls) => calls.slice(0, -1).some(isFailed))) return 'call-retried';
  return groups.some(hasTwins) ? 'effect-repeated' : 'call-repeated';
}

function isFailed({ status }: Hop): boolean {
  return status === 0 || status >= 500;
}

function hasTwins(calls: readonly Hop[]): boolean {
  const effects = calls.filter((call) => !isSafe(call));
  const bodies = effects.map(({ path, requestBody }) => `${path} ${JSON.stringify(requestBody)}`);
  return new Set(bodies).size < bodies.length;
}

/**
 * Every request had this effect, and some have it no more. Only told: an effect that comes after
 * the answer may come after the suite's end, too, and is then not seen.
 */
function fewerEffects(
  missing: Difference,
  { name, was, now }: Pick<More, 'name' | 'was' | 'now'>,
): Difference[] {
  if (isSafe(was.sample as Hop)) return [];
  const count = ({ calls }: Served): number =>
    calls.filter((call) => hopName(call) === name).length;
  const short = now.filter((served) => count(served) < was.min).length;
  const after = `fewer for ${short} of ${now.length}`;
  return [{ ...missing, which: 'some', after, severity: 'notice' }];
}

function missingCall(name: string, was: Counts, parent: Hop, confidence: number): Difference {
  const call = was.sample as Hop;
  return {
    class: 'calls',
    what: 'call-missing',
    service: parent.to,
    hop: name,
    place: `below ${hopName(parent)}`,
    before: `${was.min} times`,
    after: 'never',
    examples: { before: call.path, after: null },
    // An answer that is remembered need not be asked for; an effect that is left out is missing.
    severity: isSafe(call) ? 'notice' : 'fail',
    confidence,
  };
}
