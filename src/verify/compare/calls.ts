import { pluralize } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import { type AlignedCalls, alignCalls, mergeRequests, type ServedCall } from './aligned-calls.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, isSafe } from './hop-name.ts';
import type { VersionRecordings } from './recording.ts';

/** New, missing, repeated and reordered calls below every call that both versions served. */
export function findCallChanges(recordings: VersionRecordings): Difference[] {
  const aligned = alignCalls(recordings);
  const byName = Map.groupBy(aligned, ({ name }) => name);
  return mergeRequests(aligned).flatMap((all) => {
    const were = [...all.baseline, ...all.control];
    const nPlusOne = findNPlusOne(were, all.candidate);
    const counts = compareCounts(all, byName.get(all.name) ?? []);
    return [...nPlusOne, ...counts, ...findReordered(were, all.candidate)];
  });
}

/** So many new reads for one request are probably one for each item of a list. */
const readsMin = 3;

interface CallCounts {
  readonly requests: number;
  readonly total: number;
  /** For one request. */
  readonly min: number;
  readonly max: number;
  readonly sample: Hop | null;
}

function countsOf(served: readonly ServedCall[], name: string): CallCounts {
  const counts = served.map((one) => callsOf(one, name));
  const lengths = counts.map(({ length }) => length);
  const sample = counts.find(({ length }) => length === Math.max(...lengths))?.[0] ?? null;
  const [min, max] = [Math.min(...lengths), Math.max(...lengths)];
  return { requests: served.length, total: counts.flat().length, min, max, sample };
}

/** `parts` are the same calls, request by request. */
function compareCounts(all: AlignedCalls, parts: readonly AlignedCalls[]): Difference[] {
  const were = [...all.baseline, ...all.control];
  const now = all.candidate;
  const names = new Set([...were, ...now].flatMap(({ calls }) => calls.map(hopName)));
  return [...names].flatMap((name) => {
    const [was, is] = [countsOf(were, name), countsOf(now, name)];
    const parent = (now[0] as ServedCall).hop;
    const confidence = certaintyOf(were.length);
    if (is.max > was.max) return [moreCalls({ name, was, is, now, parent, confidence })];
    const more = isTotalHigher(all, name) ? parts.find((part) => isMoreOften(part, name)) : null;
    if (more) return [moreCalls({ ...increaseIn(more, name), parent, confidence })];
    const missing = missingCall(name, was, parent, confidence);
    if (is.max === 0 && was.min > 0) return [missing];
    const skipping = parts.filter((part) => isSkipped(part, name));
    if (skipping.length > 0) return [skippedEffect(missing, skipping)];
    return is.min < was.min ? fewerEffects(missing, { name, was, now }) : [];
  });
}

function increaseIn(
  { control, candidate }: AlignedCalls,
  name: string,
): Pick<CallIncrease, 'name' | 'was' | 'is' | 'now'> {
  const [was, is] = [countsOf(control, name), countsOf(candidate, name)];
  return { name, was, is, now: candidate };
}

/** Where only some requests make a call, another request may make it instead by chance. */
function isTotalHigher({ baseline, control, candidate }: AlignedCalls, name: string): boolean {
  const known = Math.max(totalOf(baseline, name), totalOf(control, name));
  return totalOf(candidate, name) > known;
}

/**
 * Both known runs made the call equally often for these requests, and the candidate more often.
 * Which of several equal requests reads something that is then cached is chance.
 */
function isMoreOften(part: AlignedCalls, name: string): boolean {
  const { baseline, control, candidate } = part;
  const [was, again, is] = [baseline, control, candidate].map((calls) => totalOf(calls, name));
  if (!isComparable(part) || was !== again || (is ?? 0) <= (was ?? 0)) return false;
  const [before, after] = [countsOf([...baseline, ...control], name), countsOf(candidate, name)];
  return after.max > before.max || !isSafe(after.sample as Hop);
}

/** Both known runs had this effect before they answered, and the candidate never has it. */
function isSkipped(part: AlignedCalls, name: string): boolean {
  if (!isComparable(part) || totalOf(part.candidate, name) > 0) return false;
  return [...part.baseline, ...part.control].every(({ hop, calls }) =>
    calls.some(
      (call) =>
        hopName(call) === name && !isSafe(call) && call.startedAt < hop.startedAt + hop.durationMs,
    ),
  );
}

function isComparable({ baseline, control, candidate }: AlignedCalls): boolean {
  return baseline.length === control.length && control.length === candidate.length;
}

function totalOf(served: readonly ServedCall[], name: string): number {
  return served.reduce((sum, one) => sum + countIn(one, name), 0);
}

function countIn(served: ServedCall, name: string): number {
  return callsOf(served, name).length;
}

interface CallIncrease {
  readonly name: string;
  readonly was: CallCounts;
  readonly is: CallCounts;
  readonly now: readonly ServedCall[];
  readonly parent: Hop;
  readonly confidence: number;
}

function moreCalls({ name, was, is, now, parent, confidence }: CallIncrease): Difference {
  const call = is.sample as Hop;
  const what = was.max === 0 ? 'call-new' : repetition(now, name);
  return {
    class: 'calls',
    what,
    service: parent.to,
    hop: name,
    place: `below ${hopName(parent)}`,
    ...formatIncrease({ was, is }),
    examples: { before: was.sample?.path ?? null, after: call.path },
    // A new read does no harm; a new effect, or a read for each item of a list, may.
    severity: what === 'call-new' && isSafe(call) && is.max < readsMin ? 'notice' : 'fail',
    confidence,
  };
}

function formatIncrease({ was, is }: Pick<CallIncrease, 'was' | 'is'>) {
  if (is.max > was.max) return { before: `${was.max} times`, after: `${is.max} times` };
  const format = ({ total, requests }: CallCounts): string =>
    `${total} times in ${requests} requests`;
  return { before: format(was), after: format(is) };
}

/** Why there are more calls: a retry, a repeated effect, or repeated reads. */
function repetition(now: readonly ServedCall[], name: string): string {
  const groups = now.map((one) => callsOf(one, name));
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

/** Some requests always had this effect before they were answered, and now never have it. */
function skippedEffect(missing: Difference, parts: readonly AlignedCalls[]): Difference {
  const requests = parts.flatMap(({ candidate }) => candidate);
  const after = `never for ${pluralize(requests.length, 'request')} that had it`;
  const examples = { ...missing.examples, after: requests[0]?.hop.requestBody ?? null };
  return { ...missing, which: 'skipped', before: 'before the answer', after, examples };
}

/**
 * Every request had this effect, and now some do not. Only a notice: an effect after the answer may
 * also come after the end of the suite, where nobody records it.
 */
function fewerEffects(
  missing: Difference,
  { name, was, now }: Pick<CallIncrease, 'name' | 'was' | 'now'>,
): Difference[] {
  if (isSafe(was.sample as Hop)) return [];
  const short = now.filter((served) => countIn(served, name) < was.min).length;
  const after = `fewer for ${short} of ${now.length}`;
  return [{ ...missing, which: 'some', after, severity: 'notice' }];
}

function missingCall(name: string, was: CallCounts, parent: Hop, confidence: number): Difference {
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
    // A missing read may be cached; a missing effect is a defect.
    severity: isSafe(call) ? 'notice' : 'fail',
    confidence,
  };
}

/** With fewer requests an order may be chance: concurrent calls arrive in any order. */
const sameOrderMin = 4;

/** The same calls in another order, if the order was always the same before. */
function findReordered(were: readonly ServedCall[], now: readonly ServedCall[]): Difference[] {
  const orders = new Set(were.map(orderOf));
  const [order = ''] = orders;
  if (orders.size !== 1 || were.length < sameOrderMin) return [];
  const changed = now.find(
    (served) => orderOf(served) !== order && sorted(served) === sortedText(order),
  );
  if (!changed) return [];
  const isInverted = findInverted(were, now);
  return [
    {
      class: 'calls',
      what: isInverted ? 'event-early' : 'call-reordered',
      service: changed.hop.to,
      hop: hopName(changed.hop),
      place: null,
      before: order.replaceAll('\n', ', then '),
      after: orderOf(changed).replaceAll('\n', ', then '),
      examples: { before: null, after: changed.hop.path },
      severity: isInverted ? 'fail' : 'notice',
      confidence: certaintyOf(were.length),
    },
  ];
}

/**
 * Whether a message that always waited for an effect now always comes before it: an event before
 * the write that it tells of. What was ever concurrent waits for nothing.
 */
function findInverted(were: readonly ServedCall[], now: readonly ServedCall[]): boolean {
  const calls = were.flatMap((served) => served.calls);
  const messages = new Set(calls.filter(isMessage).map(hopName));
  const effects = new Set(calls.filter((call) => isEffect(call) && !isMessage(call)).map(hopName));
  const hasWaited = (served: ServedCall, message: string, effect: string): boolean => {
    const ends = callsOf(served, effect).map(({ startedAt, durationMs }) => startedAt + durationMs);
    return Math.max(...ends) <= startOf(served, message);
  };
  return [...messages].some((message) =>
    [...effects].some(
      (effect) =>
        were.every((served) => hasWaited(served, message, effect)) &&
        now.every((served) => startOf(served, message) < startOf(served, effect)),
    ),
  );
}

function isMessage({ protocol }: Hop): boolean {
  return protocol === 'message';
}

function isEffect(call: Hop): boolean {
  return !isSafe(call);
}

function callsOf({ calls }: ServedCall, name: string): Hop[] {
  return calls.filter((call) => hopName(call) === name);
}

function startOf(served: ServedCall, name: string): number {
  return Math.min(...callsOf(served, name).map(({ startedAt }) => startedAt));
}

function orderOf({ calls }: ServedCall): string {
  return calls.map(hopName).join('\n');
}

function sorted(served: ServedCall): string {
  return sortedText(orderOf(served));
}

function sortedText(order: string): string {
  return order.split('\n').sort().join('\n');
}

/** More reads of one service below one request, whatever their paths: N+1 queries. */
function findNPlusOne(were: readonly ServedCall[], now: readonly ServedCall[]): Difference[] {
  const callees = new Set(now.flatMap(({ calls }) => calls.map(({ to }) => to)));
  return [...callees].flatMap((callee) => {
    const most = Math.max(...were.map((served) => readsOf(served, callee).length));
    const reads = now
      .map((served) => readsOf(served, callee))
      .reduce((more, calls) => (calls.length > more.length ? calls : more));
    const parent = (now[0] as ServedCall).hop;
    if (reads.length < most + readsMin || new Set(reads.map(hopName)).size === 1) return [];
    return [nPlusOne(parent, reads, most, certaintyOf(were.length))];
  });
}

function readsOf({ calls }: ServedCall, callee: string): Hop[] {
  return calls.filter((call) => call.to === callee && isSafe(call));
}

function nPlusOne(
  parent: Hop,
  reads: readonly Hop[],
  most: number,
  confidence: number,
): Difference {
  const last = reads.at(-1) as Hop;
  return {
    class: 'calls',
    what: 'call-repeated',
    service: parent.to,
    hop: hopName(last),
    place: `all questions to ${last.to} below ${hopName(parent)}`,
    before: `${most} times`,
    after: `${reads.length} times`,
    examples: { before: null, after: reads.slice(0, 6).map(({ path }) => path) },
    severity: 'fail',
    confidence,
  };
}
