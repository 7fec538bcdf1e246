import type { Hop } from '../../lanes/index.ts';
import { routeOf } from '../compare/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import { isError, type RequestSample, type SamplePair } from './sample.ts';
import type { Pair, SignalName, Start } from './statistics/index.ts';

/** One version's part in a pair, with the hops of the request; null if they are lost. */
interface PairPart {
  readonly sample: RequestSample;
  readonly expected: number;
  readonly hops: readonly Hop[] | null;
}

/** What a request shows of one service; null if it did not reach it. */
type Gauge = (part: PairPart, service: string, index: number) => number | null;

/** Signals of every changed service. */
const gauges: Readonly<Partial<Record<SignalName, Gauge>>> = {
  'cpu-us': ({ sample }, _, index) => sample.cpuUs[index] ?? Number.NaN,
  'latency-ms': ({ hops }, service) => ownMs(hops, service),
  'downstream-calls': ({ hops }, service) => count(hops, ({ from }) => from === service),
  'response-bytes': ({ hops }, service) =>
    sum(hops, service, ({ responseBytes = 0 }) => responseBytes),
  errors: (part, service) => count(part.hops, (hop) => hop.to === service && hasFailed(hop, part)),
};

/** Signals of the whole system: a change may slow down other services. */
const wholeGauges: Readonly<Partial<Record<SignalName, Gauge>>> = {
  'request-ms': ({ hops }) => hops?.[0]?.durationMs ?? Number.NaN,
  errors: ({ sample, expected }) => (isError(sample.status, expected) ? 1 : 0),
};

export interface MeasuredSignal {
  readonly service: string;
  readonly signal: SignalName;
  /** The requests that it is about, such as `POST /trades`; all of them if left out. */
  readonly route?: string;
  readonly start: Start;
}

export interface PairSamples {
  readonly pairs: readonly SamplePair[];
  /** Hops by request id, of each version. */
  readonly control: ReadonlyMap<string, readonly Hop[]>;
  readonly candidate: ReadonlyMap<string, readonly Hop[]>;
  /** Changed services, in the order of their meters. */
  readonly services: readonly string[];
  readonly ingress: string;
}

/** Pure: every signal of one start. */
export function signalsOf(sampled: PairSamples): MeasuredSignal[] {
  const { services, ingress } = sampled;
  const own = services.flatMap((service, index) =>
    Object.entries(gauges).map(([signal, gauge]) => ({
      service,
      signal: signal as SignalName,
      start: pairsOf(sampled, (part) => reaches(part, service) && gauge(part, service, index)),
    })),
  );
  const whole = Object.entries(wholeGauges).map(([signal, gauge]) => ({
    service: ingress,
    signal: signal as SignalName,
    start: pairsOf(sampled, (part) => gauge(part, ingress, 0)),
  }));
  const isTwice = ({ service, signal }: MeasuredSignal): boolean =>
    service === ingress && signal === 'errors' && services.includes(ingress);
  return [...own.filter((one) => !isTwice(one)), ...whole].filter(({ start }) => start.length > 0);
}

/** What one slow route costs hardly shows in the cost of all routes. */
const routeSignals = ['cpu-us', 'latency-ms'] as const satisfies readonly SignalName[];

/** Pure: signals of every route, if there are several. */
export function routeSignalsOf(sampled: PairSamples): MeasuredSignal[] {
  const routes = [...Map.groupBy(sampled.pairs, ({ request }) => routeName(request))];
  if (routes.length < 2) return [];
  return routes.flatMap(([route, pairs]) =>
    signalsOf({ ...sampled, pairs })
      .filter(({ signal }) => routeSignals.some((one) => one === signal))
      .map((one) => ({ ...one, route })),
  );
}

function routeName({ method, path }: ScenarioRequest): string {
  return `${method} ${routeOf(path)}`;
}

/** Without requests that reached the service on neither version. */
function pairsOf(
  { pairs, control, candidate }: PairSamples,
  read: (part: PairPart) => number | null | false,
): Pair[] {
  return pairs.flatMap(({ request, ...pair }) => {
    const partOf = (sample: RequestSample, hops: PairSamples['control']): PairPart => ({
      sample,
      expected: request.status,
      hops: hops.get(sample.id) ?? null,
    });
    const before = read(partOf(pair.control, control));
    const after = read(partOf(pair.candidate, candidate));
    const isNeither = typeof before !== 'number' && typeof after !== 'number';
    return isNeither ? [] : [{ control: orNothing(before), candidate: orNothing(after) }];
  });
}

function orNothing(read: number | null | false): number {
  return typeof read === 'number' ? read : 0;
}

function reaches({ hops }: PairPart, service: string): boolean {
  return hops === null || hops.some(({ to }) => to === service);
}

/** The time of a service without its waits for others. */
function ownMs(hops: readonly Hop[] | null, service: string): number {
  if (hops === null) return Number.NaN;
  const served = hops.filter(({ to, protocol }) => to === service && protocol !== 'message');
  const calls = hops.filter(({ from, protocol }) => from === service && protocol !== 'message');
  const took = served.reduce((total, { durationMs = Number.NaN }) => total + durationMs, 0);
  return Math.max(0, took - coveredMs(calls.map((call) => waitedFor(call, served))));
}

/** A call counts as a wait only until the answer. */
function waitedFor(call: Hop, served: readonly Hop[]): Hop {
  const ends = served
    .filter(({ startedAt }) => startedAt <= call.startedAt)
    .map(({ startedAt, durationMs = 0 }) => startedAt + durationMs);
  const leftMs = Math.max(0, ...ends.map((end) => end - call.startedAt));
  return { ...call, durationMs: Math.min(call.durationMs ?? 0, leftMs) };
}

/** Concurrent calls count once. */
function coveredMs(calls: readonly Hop[]): number {
  let [covered, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { startedAt, durationMs = 0 } of calls) {
    const end = startedAt + durationMs;
    covered += Math.max(0, end - Math.max(startedAt, until));
    until = Math.max(until, end);
  }
  return covered;
}

/** A refusal is an error if the whole request failed and the recorded one did not. */
function hasFailed({ status }: Hop, { sample, expected }: PairPart): boolean {
  if (status === 0 || status >= 500) return true;
  return status >= 400 && isError(sample.status, expected);
}

function count(hops: readonly Hop[] | null, isWanted: (hop: Hop) => boolean): number {
  return hops === null ? Number.NaN : hops.filter(isWanted).length;
}

function sum(hops: readonly Hop[] | null, service: string, of: (hop: Hop) => number): number {
  if (hops === null) return Number.NaN;
  return hops.filter(({ to }) => to === service).reduce((total, hop) => total + of(hop), 0);
}
