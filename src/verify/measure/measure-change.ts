import { type Hop, SerialQueue } from '../../lanes/index.ts';
import type { Profile } from '../api-schema.ts';
import { type Confirmation, hasFailed, isFailing } from '../compare/confirmation.ts';
import { ErrorComparison } from '../compare/error-comparison.ts';
import type { Difference } from '../compare/index.ts';
import { markDisputed } from '../judge/finding-id.ts';
import { applyLoad, noLoad } from '../load/index.ts';
import type { RoundObservations } from '../observe/observe-rounds.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { type LanePair, type PairRequest, withLanePair } from '../pipeline/lane-pair.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import { pairOf, type VerifyRequest } from '../pipeline/request.ts';
import { formatUnsafe, givenScenarios, isGiven, onlyRecorded, safetyOf } from '../traffic/index.ts';
import { type Measurement, type MeasurePlan, measure, measureStart } from './index.ts';

interface MeasurableChange {
  readonly plan: VerificationPlan;
  readonly pair: LanePair;
  readonly request: VerifyRequest;
  readonly observations: Pick<RoundObservations, 'compared'>;
  readonly confirmation: Confirmation;
}

export interface ChangeMeasurement extends Measurement {
  /** The hops of requests that show what was found. */
  readonly shown: readonly Hop[];
}

/** Load runs one at a time: on this one machine, two would measure each other. */
const loadRuns = new SerialQueue();

/** Sends to both versions in pairs what was sent to the control, and measures both. */
export async function measureChange(
  { plan, pair, request, observations, confirmation }: MeasurableChange,
  context: VerifyContext,
): Promise<ChangeMeasurement> {
  const reason = whyUnmeasured(confirmation) ?? whyUnmetered(plan, context);
  if (reason !== null) return noMeasurement([`not measured: ${reason}`]);
  const { config, disputes } = context;
  const { profile, changed } = plan;
  const { rounds } = observations.compared;
  const { scenarios: sent = [], replayed = [], untaken = [] } = rounds[0]?.control ?? {};
  const recorded = onlyRecorded(
    replayed.filter((one) => !isGiven(one)),
    sent,
  );
  const scenarios = [...sent, ...recorded, ...givenScenarios(request.traffic)];
  const seen = rounds.flatMap(({ control, candidate }) => [...control.hops, ...candidate.hops]);
  const isSafe = safetyOf(config, [pair.control, pair.candidate], seen);
  const unsafe = formatUnsafe(scenarios, isSafe, { config, seen });
  const unkept = reportUnkept(untaken, profile);
  const remarks = [...unkept.remarks, ...(unsafe === null ? [] : [unsafe])];
  if (!scenarios.some(({ requests }) => requests.some(isSafe))) {
    return noMeasurement(remarks, unkept.undecided);
  }
  const ingress = pair.candidate.ingress ?? config.ingress ?? '';
  const common = { profile, lanes: pair, services: changed, ingress, scenarios, isSafe };
  const measurePlan = { ...common, isWarm: true };
  context.onProgress?.('measuring pairs of requests');
  const measured = await measureWithLogs(measurePlan, pairOf(request), context);
  const found = markDisputed(measured.differences, disputes);
  const withFreshLanes = <Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result> =>
    withLanePair(pairOf(request), context, work);
  const isLoaded = profile === 'full' && !found.some(isFailing);
  const loaded = isLoaded
    ? await loadRuns.run(() => applyLoad(measurePlan, { ...context, withFreshLanes }))
    : noLoad;
  return {
    signals: measured.signals,
    differences: [...found, ...markDisputed(loaded.differences, disputes)],
    remarks: [...remarks, ...measured.remarks, ...loaded.remarks],
    undecided: [...unkept.undecided, ...measured.undecided, ...loaded.undecided],
    shown: loaded.shown,
  };
}

/** There is no use in measuring what is already decided, or what no run can decide. */
export function whyUnmeasured(confirmation: Confirmation): string | null {
  const { control, candidate } = confirmation;
  const isBroken = [...control, ...candidate].some(({ result }) => result === 'broken');
  if (isBroken) return 'a suite could not be run';
  if (control.some(({ result }) => result === 'failed')) return 'a suite fails on the baseline';
  return hasFailed(confirmation) ? 'the change already fails' : null;
}

/** Nobody here reads the CPU time of a pod; that of the process that stands for it says nothing. */
function whyUnmetered(
  { changed }: Pick<VerificationPlan, 'changed'>,
  { config }: Pick<VerifyContext, 'config'>,
): string | null {
  const pods = changed.filter((service) => config.services[service]?.lane.kubernetes);
  return pods.length === 0
    ? null
    : `${pods.join(', ')} in Kubernetes, where cost is not measured yet`;
}

/** Pure. `full` promises to measure all that suites send; `quick` only reports what it left out. */
export function reportUnkept(
  suites: readonly string[],
  profile: Profile,
): Pick<Measurement, 'undecided' | 'remarks'> {
  if (suites.length === 0) return { undecided: [], remarks: [] };
  const lines = [
    `not measured: the requests of ${suites.join(', ')} were dropped, too many others ran`,
  ];
  return profile === 'full' ? { undecided: lines, remarks: [] } : { undecided: [], remarks: lines };
}

function noMeasurement(
  remarks: readonly string[],
  undecided: readonly string[] = [],
): ChangeMeasurement {
  return { signals: [], differences: [], undecided, remarks, shown: [] };
}

/** Measures, and compares what the changed services log during these many requests. */
async function measureWithLogs(
  plan: MeasurePlan,
  request: PairRequest,
  context: VerifyContext,
): Promise<Measurement> {
  const errors = new ErrorComparison(Object.keys(context.config.services), context.host);
  const withFreshLanes = <Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result> =>
    withLanePair(request, context, (lanes) => errors.during(lanes, () => work(lanes)));
  const measured = await errors.during(plan.lanes, () =>
    measure(plan, { ...context, withFreshLanes }),
  );
  // What one start shows has to be confirmed by another.
  if (!context.signal?.aborted && errors.certain.length === 0 && errors.once.length > 0) {
    await withFreshLanes((lanes) => measureStart({ ...plan, lanes, isWarm: false }, [], context));
  }
  return {
    ...measured,
    differences: [...errors.certain, ...measured.differences],
    undecided: [...errors.once.map(formatOnce), ...measured.undecided],
  };
}

function formatOnce({ service, after }: Difference): string {
  return `${service} ${after}: in one of two starts`;
}
