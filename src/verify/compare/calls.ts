import { type CallTree, type Hop, requestPaths } from '../../lanes/index.ts';
import { certaintyOf, type Difference } from './difference.ts';
import { hopName, isSafe } from './hop-name.ts';
import { splitRecordings, type VersionRecording, type VersionRecordings } from './recording.ts';

/** New, missing, repeated and reordered calls below every call that both versions served. */
export function findCallChanges(recordings: VersionRecordings): Difference[] {
  const { known, candidate } = splitRecordings(recordings);
  const before = Map.groupBy(known.flatMap(servedCalls), ({ hop }) => hopName(hop));
  const after = Map.groupBy(servedCalls(candidate), ({ hop }) => hopName(hop));
  return [...after].flatMap(([name, now]) => {
    const were = before.get(name);
    if (!were) return [];
    return [...findNPlusOne(were, now), ...compareCounts(were, now), ...findReordered(were, now)];
  });
}

/** So many new reads for one request are probably one for each item of a list. */
const readsMin = 3;

interface CallCounts {
  readonly min: number;
  readonly max: number;
  readonly sample: Hop | null;
}

function countsOf(served: readonly ServedCall[], name: string): CallCounts {
  const counts = served.map(({ calls }) => calls.filter((call) => hopName(call) === name));
  const lengths = counts.map(({ length }) => length);
  const sample = counts.find(({ length }) => length === Math.max(...lengths))?.[0] ?? null;
  return { min: Math.min(...lengths), max: Math.max(...lengths), sample };
}

function compareCounts(were: readonly ServedCall[], now: readonly ServedCall[]): Difference[] {
  const names = new Set([...were, ...now].flatMap(({ calls }) => calls.map(hopName)));
  return [...names].flatMap((name) => {
    const [was, is] = [countsOf(were, name), countsOf(now, name)];
    const parent = (now[0] as ServedCall).hop;
    const confidence = certaintyOf(were.length);
    if (is.max > was.max) return [moreCalls({ name, was, is, now, parent, confidence })];
    if (is.min >= was.min) return [];
    const missing = missingCall(name, was, parent, confidence);
    return is.max === 0 ? [missing] : fewerEffects(missing, { name, was, now });
  });
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
    before: `${was.max} times`,
    after: `${is.max} times`,
    examples: { before: was.sample?.path ?? null, after: call.path },
    // A new read does no harm; a new effect, or a read for each item of a list, may.
    severity: what === 'call-new' && isSafe(call) && is.max < readsMin ? 'notice' : 'fail',
    confidence,
  };
}

/** Why there are more calls: a retry, a repeated effect, or repeated reads. */
function repetition(now: readonly ServedCall[], name: string): string {
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
 * Every request had this effect, and now some do not. Only a notice: an effect after the answer may
 * also come after the end of the suite, where nobody records it.
 */
function fewerEffects(
  missing: Difference,
  { name, was, now }: Pick<CallIncrease, 'name' | 'was' | 'now'>,
): Difference[] {
  if (isSafe(was.sample as Hop)) return [];
  const count = ({ calls }: ServedCall): number =>
    calls.filter((call) => hopName(call) === name).length;
  const short = now.filter((served) => count(served) < was.min).length;
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
  return [
    {
      class: 'calls',
      what: 'call-reordered',
      service: changed.hop.to,
      hop: hopName(changed.hop),
      place: null,
      before: order.replaceAll('\n', ', then '),
      after: orderOf(changed).replaceAll('\n', ', then '),
      examples: { before: null, after: changed.hop.path },
      severity: 'notice',
      confidence: certaintyOf(were.length),
    },
  ];
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

/** A call, and the calls that it led to, in order. */
interface ServedCall {
  readonly hop: Hop;
  readonly calls: readonly Hop[];
}

/** Every call of every request, with what it led to. */
function servedCalls({ hops }: VersionRecording): ServedCall[] {
  const walk = ({ hop, calls }: CallTree): ServedCall[] => [
    { hop, calls: calls.map((call) => call.hop) },
    ...calls.flatMap(walk),
  ];
  // A timer is recorded as a hop, but is not a call.
  const realHops = hops.filter(({ method }) => method !== 'timer');
  return requestPaths(realHops).flatMap(({ calls }) => calls.flatMap(walk));
}
