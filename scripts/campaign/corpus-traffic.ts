import { quantile } from '../../benchmarks/bench.ts';
import type { Opinion } from '../../benchmarks/verify/contender.ts';
import { kayentaOpinion, type Metric } from '../../benchmarks/verify/judges/kayenta.ts';
import { planVisits, type Visit } from '../../examples/trading/traffic/plan.ts';
import { sendVisit } from '../../examples/trading/traffic/send.ts';
import type { Result } from '../../examples/trading/traffic/summary.ts';
import { seeded } from '../../tests/harness/seeded.ts';
import type { KnownChange } from './corpus-changes.ts';
import { type CorpusSystem, suretyOn } from './corpus-system.ts';

/** What judges of measurements say who know nothing but the answers from outside. */
export interface TrafficSaid {
  readonly thresholds: Opinion;
  readonly kayenta: Opinion;
  readonly requests: number;
  readonly p99: { readonly control: number; readonly candidate: number };
  readonly errors: { readonly control: number; readonly candidate: number };
}

const visits = 50;
const seed = 9;
const openSecondsMax = 120;
/** One that keeps everybody waiting is seen to do so by then. */
const sendSecondsMax = 120;

/** What stands in the way of a lane by the change's own doing; else it is the machine's. */
const startFaults = ['SERVICE_UNHEALTHY', 'STEP_FAILED'];
/** There is nothing to deploy, and so nothing to say against it. */
const nothingToRun: TrafficSaid = {
  thresholds: 'pass',
  kayenta: 'pass',
  requests: 0,
  p99: { control: 0, candidate: 0 },
  errors: { control: 0, candidate: 0 },
};

/** The same visits to a lane with the change and to one without, in turns; then both judges. */
export async function judgeTraffic(
  system: CorpusSystem,
  change: KnownChange,
): Promise<TrafficSaid | null> {
  const file = system.patchFile(change);
  const words = ['lane', 'open', file, '--control', ...change.lane];
  const { value } = await suretyOn(system, file, words, openSecondsMax);
  const { lane, control, address, fault } = value as unknown as Opened;
  const opened = [lane, control].flatMap((one) => one ?? []);
  try {
    if (lane && control) return judgeBoth(await sendBoth([control.lane, lane.lane], address));
    if (fault?.code === 'CHANGE_TOUCHES_NO_SERVICE') return nothingToRun;
    if (fault && startFaults.includes(fault.code)) return null;
    throw new Error(`no lane for ${change.name}: ${JSON.stringify(value)}`);
  } finally {
    await Promise.all(
      opened.map((one) => system.surety(['lane', 'close', one.lane], openSecondsMax)),
    );
  }
}

interface Opened {
  readonly lane?: { readonly lane: string };
  readonly control?: { readonly lane: string };
  readonly address: string;
  readonly fault?: { readonly code: string };
}

interface Sides {
  readonly control: readonly Result[][];
  readonly candidate: readonly Result[][];
}

/** Visit by visit; which version goes first is drawn by lot. */
async function sendBoth([control, candidate]: [string, string], baseUrl: string): Promise<Sides> {
  const draw = seeded(seed);
  const sides: { control: Result[][]; candidate: Result[][] } = { control: [], candidate: [] };
  const send = (lane: string) => (visit: Visit) =>
    sendVisit(visit, {
      baseUrl,
      tokens: { valid: 'trader-token', expired: 'expired-token' },
      headers: { baggage: `surety-lane=${lane}` },
    });
  const arms = [
    { into: sides.control, send: send(control) },
    { into: sides.candidate, send: send(candidate) },
  ];
  const deadline = performance.now() + sendSecondsMax * 1_000;
  for (const visit of planVisits(visits, seed)) {
    if (performance.now() > deadline) break;
    const order = draw() < 0.5 ? arms : arms.toReversed();
    for (const arm of order) arm.into.push(await arm.send(visit));
  }
  return sides;
}

function judgeBoth({ control, candidate }: Sides): TrafficSaid {
  const [before, after] = [control.flat(), candidate.flat()];
  const p99 = { control: p99Of(before), candidate: p99Of(after) };
  const errors = { control: errorShare(before), candidate: errorShare(after) };
  const isWorse = p99.candidate > 1.2 * p99.control || errors.candidate > errors.control + 0.01;
  return {
    thresholds: isWorse ? 'fail' : 'pass',
    kayenta: kayentaOpinion(metricsOf(control, candidate)),
    requests: after.length,
    p99,
    errors,
  };
}

/** A point in time, as a dashboard has it. */
const visitsPerPoint = 5;

function errorsOf(all: readonly Result[][]): number[] {
  const points = Math.ceil(all.length / visitsPerPoint);
  return Array.from({ length: points }, (_, index) => {
    const visitsOfPoint = all.slice(index * visitsPerPoint, (index + 1) * visitsPerPoint);
    return visitsOfPoint.flat().filter(isError).length;
  });
}

/** Latency of every way in, and errors of each point in time. */
function metricsOf(control: readonly Result[][], candidate: readonly Result[][]): Metric[] {
  const [before, after] = [byRoute(control.flat()), byRoute(candidate.flat())];
  const latencies = [...before].map(([route, results]) => ({
    name: route,
    group: 'latency',
    control: results.map(({ durationMs }) => durationMs),
    canary: (after.get(route) ?? []).map(({ durationMs }) => durationMs),
    noData: 'remove' as const,
  }));
  const errors = { control: errorsOf(control), canary: errorsOf(candidate) };
  return [...latencies, { name: 'errors', group: 'errors', ...errors, noData: 'zero' }];
}

function byRoute(results: readonly Result[]): Map<string, Result[]> {
  return Map.groupBy(results, ({ step }) => `${step.method} ${step.path}`);
}

function p99Of(results: readonly Result[]): number {
  return quantile(
    results.map(({ durationMs }) => durationMs),
    0.99,
  );
}

/** As a dashboard counts them: what a server answers with 5xx, or not at all. */
function isError({ status }: Result): boolean {
  return status === 'none' || status >= 500;
}

function errorShare(results: readonly Result[]): number {
  return results.filter(isError).length / Math.max(1, results.length);
}
