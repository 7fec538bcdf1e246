import type { Hop } from '../../lanes/index.ts';
import { isError, type Sample, type SampledPair } from './sample.ts';
import type { Pair, SignalName, Start } from './statistics/index.ts';

/** One version's part in a pair, with the hops that the request led to; null if they are lost. */
interface Part {
  readonly sample: Sample;
  readonly expected: number;
  readonly hops: readonly Hop[] | null;
}

/** What a request tells of one service; null when it did not go there. */
type Gauge = (part: Part, service: string, index: number) => number | null;

/** What is measured of every changed service. */
const gauges: Readonly<Partial<Record<SignalName, Gauge>>> = {
  'cpu-us': ({ sample }, _, index) => sample.cpuUs[index] ?? Number.NaN,
  'latency-ms': ({ hops }, service) => ownMs(hops, service),
  'downstream-calls': ({ hops }, service) => count(hops, ({ from }) => from === service),
  'response-bytes': ({ hops }, service) =>
    sum(hops, service, ({ responseBytes = 0 }) => responseBytes),
  errors: (part, service) => count(part.hops, (hop) => hop.to === service && hasFailed(hop, part)),
};

/** What is measured of the whole system: a change may slow down others than itself. */
const wholeGauges: Readonly<Partial<Record<SignalName, Gauge>>> = {
  'request-ms': ({ hops }) => hops?.[0]?.durationMs ?? Number.NaN,
  errors: ({ sample, expected }) => (isError(sample.status, expected) ? 1 : 0),
};

export interface MeasuredSignal {
  readonly service: string;
  readonly signal: SignalName;
  readonly start: Start;
}

export interface Sampled {
  readonly pairs: readonly SampledPair[];
  /** By the id of the request, of either version. */
  readonly control: ReadonlyMap<string, readonly Hop[]>;
  readonly candidate: ReadonlyMap<string, readonly Hop[]>;
  /** Changed services, in the order of their meters. */
  readonly services: readonly string[];
  readonly ingress: string;
}

/** Pure: every signal of one start. */
export function signalsOf(sampled: Sampled): MeasuredSignal[] {
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

/** Requests that went to the service on neither version say nothing about it. */
function pairsOf(
  { pairs, control, candidate }: Sampled,
  read: (part: Part) => number | null | false,
): Pair[] {
  return pairs.flatMap(({ request, ...pair }) => {
    const partOf = (sample: Sample, hops: Sampled['control']): Part => ({
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

function reaches({ hops }: Part, service: string): boolean {
  return hops === null || hops.some(({ to }) => to === service);
}

/** What a service took for itself: without the time in which it waited for others. */
function ownMs(hops: readonly Hop[] | null, service: string): number {
  if (hops === null) return Number.NaN;
  const served = hops.filter(({ to, protocol }) => to === service && protocol !== 'message');
  const calls = hops.filter(({ from, protocol }) => from === service && protocol !== 'message');
  const took = served.reduce((total, { durationMs = Number.NaN }) => total + durationMs, 0);
  return Math.max(0, took - coveredMs(calls.map((call) => waitedFor(call, served))));
}

/** What goes on after the answer, or is begun then, nobody waits for. */
function waitedFor(call: Hop, served: readonly Hop[]): Hop {
  const ends = served
    .filter(({ startedAt }) => startedAt <= call.startedAt)
    .map(({ startedAt, durationMs = 0 }) => startedAt + durationMs);
  const leftMs = Math.max(0, ...ends.map((end) => end - call.startedAt));
  return { ...call, durationMs: Math.min(call.durationMs ?? 0, leftMs) };
}

/** Calls that run at the same time are waited for once. */
function coveredMs(calls: readonly Hop[]): number {
  let [covered, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { startedAt, durationMs = 0 } of calls) {
    const end = startedAt + durationMs;
    covered += Math.max(0, end - Math.max(startedAt, until));
    until = Math.max(until, end);
  }
  return covered;
}

/** A refusal is an error where the request as a whole should have been answered and was not. */
function hasFailed({ status }: Hop, { sample, expected }: Part): boolean {
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
