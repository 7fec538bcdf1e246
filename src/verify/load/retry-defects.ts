import { type Json, pluralize } from '../../kernel/index.ts';
import { asAnswered, type Hop } from '../../lanes/index.ts';
import { type DifferenceClass, hopName, isSafe } from '../compare/index.ts';
import { leavesOf } from './json-leaves.ts';
import { callsBehind, type PlannedFault } from './planned-fault.ts';
import { hasFailed, type RetriedRequest } from './retry.ts';
import { isTimestamp } from './timestamp.ts';

/** What both versions did under the same fault, in each try. */
export interface FaultTrial {
  readonly fault: PlannedFault;
  readonly control: readonly RetriedRequest[];
  readonly candidate: readonly RetriedRequest[];
}

/** What only a change does if a call on the way fails and the client retries. */
export interface RetryDefect {
  readonly class: DifferenceClass;
  readonly what: 'retry-repeats' | 'retry-skips' | 'retry-refused' | 'fault-felt' | 'fault-hidden';
  readonly hop: string | null;
  readonly place: string | null;
  readonly before: string;
  readonly after: string;
  readonly by: RetriedRequest;
  /** It may be meant, so that it leaves a verdict open and fails nothing. */
  readonly isDoubt?: true;
}

/** A defect with the fault that shows it. */
export interface DefectUnderFault {
  readonly fault: PlannedFault;
  readonly defect: RetryDefect;
}

/**
 * Pure: what the control does the same way each time, and the candidate differently at least so
 * often. Nothing if one of them did not meet the fault, or if only one client had to retry.
 */
export function findRetryDefects(trial: FaultTrial, showsMin: number): RetryDefect[] {
  const { control, candidate } = trial;
  const all = [...control, ...candidate];
  if (control.length === 0 || !all.every(({ hops }) => hops.some(isInjected))) return [];
  const [first] = [unhandledFault, hiddenFault, storm].flatMap(
    (find) => find(trial, showsMin) ?? [],
  );
  if (first) return [first];
  if (!all.every(({ statuses }) => hasFailed(statuses[0]))) return [];
  const found = [...repeats(trial, showsMin), refusal(trial, showsMin), ...skips(trial, showsMin)];
  return found.filter((one) => one !== null);
}

/** The control answers in spite of the fault, and the candidate does not. */
function unhandledFault({ control, candidate }: FaultTrial, showsMin: number): RetryDefect | null {
  const shows = candidate.filter(({ statuses }) => hasFailed(statuses[0]));
  const [by] = shows;
  if (!by || shows.length < showsMin || !control.every(({ statuses }) => isAccepted(statuses[0]))) {
    return null;
  }
  const before = formatStatus(control[0]?.statuses[0]);
  const after = formatStatus(by.statuses[0]);
  return { class: 'status', what: 'fault-felt', hop: null, place: null, before, after, by };
}

/**
 * The control fails, and the candidate succeeds without the service that was unavailable. Then its
 * answer is wrong, or nothing shows what was left out.
 */
function hiddenFault(
  { fault, control, candidate }: FaultTrial,
  showsMin: number,
): RetryDefect | null {
  const shows = candidate.filter(({ statuses }) => isAccepted(statuses[0]));
  const [by] = shows;
  const isFailing = control.every(({ statuses }) => hasFailed(statuses[0]));
  if (fault.kind === 'lost' || !by || shows.length < showsMin || !isFailing) return null;
  const common = { class: 'status', what: 'fault-hidden', hop: null, by } as const;
  const before = formatStatus(control[0]?.statuses[0]);
  const after = formatStatus(by.statuses[0]);
  const wrong = wrongValue(control, by);
  return wrong === null
    ? { ...common, place: null, before, after, isDoubt: true }
    : { ...common, place: wrong.place, before: wrong.was, after: `${wrong.is}, with ${after}` };
}

interface WrongValue {
  readonly place: string;
  readonly was: string;
  readonly is: string;
}

/** A value of the answer that is always another if no service is unavailable. */
function wrongValue(control: readonly RetriedRequest[], by: RetriedRequest): WrongValue | null {
  const answers = control.map((one) => answerTo(one, -1));
  const is = answerTo(by, 0);
  for (const [place, was] of answers[0] ?? []) {
    const isSteady = typeof was !== 'string' && answers.every((one) => one.get(place) === was);
    if (isSteady && was !== null && is.has(place) && is.get(place) !== was) {
      return { place: `response ${place}`, was: String(was), is: String(is.get(place)) };
    }
  }
  return null;
}

/** The values in the answer to one attempt. */
function answerTo({ ids, hops }: RetriedRequest, attempt: number): ReadonlyMap<string, Json> {
  const id = ids.at(attempt);
  const root = hops.find(({ from, requestId }) => from === null && requestId === id);
  const isGood = root !== undefined && isAccepted(root.status);
  return new Map(isGood ? leavesOf(root.responseBody) : []);
}

/** More calls than a client that tries three times makes. */
const attemptsMax = 3;

/** A call that fails is made again and again. */
function storm({ fault, control, candidate }: FaultTrial, showsMin: number): RetryDefect | null {
  const was = Math.max(...control.map(({ hops }) => hops.filter(isInjected).length));
  const count = ({ hops }: RetriedRequest): number => hops.filter(isInjected).length;
  const shows = candidate.filter((one) => count(one) > attemptsMax * was);
  const [by] = shows;
  const called = by?.hops.find(isInjected);
  if (!by || !called || shows.length < showsMin) return null;
  const before = `${pluralize(was, 'call')} of ${fault.hop.split('>')[1]} for one request`;
  const after = `${pluralize(count(by), 'call')} while it fails`;
  const common = { class: 'calls', what: 'retry-repeats', place: null } as const;
  return { ...common, hop: plainName(called), before, after, by };
}

function refusal({ control, candidate }: FaultTrial, showsMin: number): RetryDefect | null {
  const shows = candidate.filter((one) => !isAccepted(one.statuses.at(-1)));
  const [by] = shows;
  const wasAccepted = control.every(({ statuses }) => isAccepted(statuses.at(-1)));
  if (!by || shows.length < showsMin || !wasAccepted) return null;
  const before = `${formatStatus(control[0]?.statuses.at(-1))} to a client that retries`;
  const after = `${formatStatus(by.statuses.at(-1))} to a client that retries`;
  return { class: 'status', what: 'retry-refused', hop: null, place: null, before, after, by };
}

/** Only what was served completely in both attempts has to be done once. */
function repeats(trial: FaultTrial, showsMin: number): RetryDefect[] {
  const { fault } = trial;
  if (fault.kind !== 'lost') return [];
  const names = namesBehind(trial);
  const values = increases(trial, showsMin, (one) => sizes(valuesBehind(fault.hop, one.hops)));
  const silent = increases(trial, showsMin, (one) => silentCalls(fault.hop, one.hops));
  const rows = fault.isWhole ? increases(trial, showsMin, rowsIn) : [];
  return [
    ...values
      .filter(({ name }) => names.has(name))
      .map((one) => repeatDefect('calls', 'values', one)),
    ...silent.map((one) => repeatDefect('calls', 'calls', one)),
    ...rows.map((one) => repeatDefect('writes', 'rows', one)),
  ];
}

function repeatDefect(
  kind: 'calls' | 'writes',
  unit: string,
  { name, was, is, by }: CountIncrease,
): RetryDefect {
  const [hop, place] = kind === 'calls' ? name.split('\n') : [null, name];
  const before = `${was} ${was === 1 ? unit.slice(0, -1) : unit} for a retried request`;
  const after = `${is} ${unit}: the retry repeats what was already done`;
  return {
    class: kind,
    what: 'retry-repeats',
    hop: hop ?? null,
    place: place ?? null,
    before,
    after,
    by,
  };
}

/** The retry succeeds, but a call with an effect was never made. */
function skips({ control, candidate }: FaultTrial, showsMin: number): RetryDefect[] {
  const names = new Set(control.flatMap(({ hops }) => hops.filter(hasEffect).map(plainName)));
  const has = (name: string) => (one: RetriedRequest) => one.hops.some((hop) => isDone(hop, name));
  return [...names].flatMap((name) => {
    const shows = candidate.filter((one) => isAccepted(one.statuses.at(-1)) && !has(name)(one));
    const [by] = shows;
    if (!by || shows.length < showsMin || !control.every(has(name))) return [];
    const before = 'called in the end, after a retry';
    const common = { class: 'calls', what: 'retry-skips', hop: name, place: null } as const;
    return [{ ...common, before, after: 'never called, though the retry succeeds', by }];
  });
}

interface CountIncrease {
  readonly name: string;
  readonly was: number;
  readonly is: number;
  readonly by: RetriedRequest;
}

/** What the control counts the same in each try, and the candidate more often. */
function increases(
  { control, candidate }: FaultTrial,
  showsMin: number,
  count: (one: RetriedRequest) => RetryCounts,
): CountIncrease[] {
  const [first = new Map<string, number>(), ...others] = control.map(count);
  const now = candidate.map((by) => ({ by, counts: count(by) }));
  return [...first].flatMap(([name, was]) => {
    if (!others.every((one) => one.get(name) === was)) return [];
    const shows = now.filter(({ counts }) => (counts.get(name) ?? 0) > was);
    const [worst] = shows;
    if (!worst || shows.length < showsMin) return [];
    return [{ name, was, is: worst.counts.get(name) ?? 0, by: worst.by }];
  });
}

/** Fields with one value in both attempts and another in each try: they name what was done. */
function namesBehind({ fault, control }: FaultTrial): ReadonlySet<string> {
  const tries = control.map(({ hops }) => valuesBehind(fault.hop, hops));
  const [first = new Map<string, Set<string>>()] = tries;
  const named = [...first.keys()].filter((name) => {
    const values = tries.map((one) => one.get(name) ?? new Set());
    const different = new Set(values.flatMap((one) => [...one]));
    return values.every(({ size }) => size === 1) && different.size === tries.length;
  });
  return new Set(named);
}

function isDone(hop: Hop, name: string): boolean {
  return hasEffect(hop) && plainName(hop) === name;
}

function isInjected({ injected }: Hop): boolean {
  return injected !== undefined;
}

function formatStatus(status = 0): string {
  return status === 0 ? 'no answer' : `status ${status}`;
}

/** By name. */
type RetryCounts = ReadonlyMap<string, number>;

function sizes(values: ReadonlyMap<string, ReadonlySet<string>>): RetryCounts {
  return new Map([...values].map(([name, all]) => [name, all.size]));
}

/** By field of the bodies at this hop and behind it, such as the id of a charge: its values. */
function valuesBehind(hop: string, hops: readonly Hop[]): ReadonlyMap<string, Set<string>> {
  const { at, below } = callsBehind(hop, hops);
  const values = new Map<string, Set<string>>();
  for (const one of [...at, ...below].filter(hasEffect)) {
    for (const part of ['request', 'response'] as const) {
      for (const [field, value] of leavesOf(one[`${part}Body`])) {
        // What differs in each attempt anyway is no second effect.
        if (isTimestamp(value, field) || (one.requestId && String(value).includes(one.requestId)))
          continue;
        const name = `${plainName(one)}\n${part} ${field}`;
        values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
      }
    }
  }
  return values;
}

/** Calls whose answers have no body, so only their number shows a repetition. */
function silentCalls(hop: string, hops: readonly Hop[]): RetryCounts {
  const { below } = callsBehind(hop, hops);
  const groups = Map.groupBy(below.filter(hasEffect), plainName);
  const silent = [...groups].filter(([, calls]) => calls.every((one) => one.responseBody === null));
  return new Map(silent.map(([name, calls]) => [name, calls.length]));
}

function rowsIn({ writes }: RetriedRequest): RetryCounts {
  const inserted = writes.filter(({ kind }) => kind === 'insert');
  const tables = Map.groupBy(inserted, ({ store, table }) => `${store} ${table}`);
  return new Map([...tables].map(([name, rows]) => [name, rows.length]));
}

/** Without faults, so that first attempts and retries have the same name. */
function plainName({ faults: _, ...hop }: Hop): string {
  return hopName(hop);
}

/** A call with an effect that was served, whether or not its caller got the answer. */
function hasEffect(hop: Hop): boolean {
  const { protocol, answered, status } = asAnswered(hop);
  const isWell = answered !== false && isAccepted(status);
  return isWell && protocol !== 'message' && !isSafe(hop);
}

function isAccepted(status = 0): boolean {
  return status >= 200 && status < 300;
}
