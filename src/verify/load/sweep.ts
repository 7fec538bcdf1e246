import type { Hop, Lane } from '../../lanes/index.ts';
import type { Difference } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import { stepsAtOnce } from './at-once.ts';
import { tellRequest } from './judge-load.ts';
import { findRelapses, type Relapse, type Relapsed } from './judge-retried.ts';
import { type Retried, retry, type Watch, withOwnKey } from './retried.ts';
import type { Stage } from './stage.ts';
import { faultsOn, type SweptFault } from './swept-fault.ts';
import { tellRelapse } from './tell-relapse.ts';

export interface SweepPlan {
  /** The changed ones. */
  readonly services: readonly string[];
  /** What a lane writes from now on. */
  watch(lane: Lane): ReturnType<Watch>;
  /** How long after the last call for a request another may come. */
  readonly quietMs: number;
}

interface Sweep {
  readonly relapsed: readonly Relapsed[];
  readonly remarks: readonly string[];
}

/**
 * Each request that does something, with a fault at each hop of its way that only its client or a
 * process of the lane would feel, and then again without: as a client does that does not know
 * whether it was served. The hops of changed services first.
 */
export async function sweepFaults(stage: Stage, plan: SweepPlan): Promise<Sweep> {
  const started = performance.now();
  const isLate = (): boolean =>
    stage.isLate || performance.now() - started >= verifyLimits.sweepMsMax;
  const faults = await faultsOf(stage, plan.services);
  const relapsed: Relapsed[] = [];
  let tried = 0;
  for (const fault of faults.slice(0, verifyLimits.sweptFaultsMax)) {
    if (isLate()) break;
    tried++;
    relapsed.push(...(await tryFault(stage, fault, plan)));
  }
  return { relapsed, remarks: tellSweep(tried, faults.length) };
}

/** As many as are worth a second start. */
const relapsesMax = 4;

/** The same faults on another start; what is seen there, too, is told. */
export async function sweepAgain(
  stage: Stage,
  before: readonly Relapsed[],
  plan: SweepPlan,
): Promise<{ readonly differences: Difference[]; readonly shown: Hop[] }> {
  const different = new Map(before.toReversed().map((one) => [kindOf(one), one]));
  const again: Relapsed[] = [];
  for (const { fault, relapse } of [...different.values()].toReversed().slice(0, relapsesMax)) {
    const found = await tryFault(stage, fault, plan);
    again.push(...found.filter((one) => nameOf(one.relapse) === nameOf(relapse)));
  }
  return {
    differences: again.map((one) => tellRelapse(one, plan.services)),
    shown: again.flatMap(({ relapse }) => relapse.by.hops),
  };
}

async function faultsOf(stage: Stage, changed: readonly string[]): Promise<SweptFault[]> {
  const own = stage.control.lane.candidates.map(({ service }) => service);
  const faults: SweptFault[] = [];
  for (const steps of stage.isLate ? [] : stepsAtOnce(stage.steps)) {
    const request = await stage.control.prepare(steps);
    if (!request) continue;
    await stage.control.newHops();
    // By a key that was used already it would be answered at once, and nobody behind be asked.
    const { id } = await stage.control.send(withOwnKey(request));
    const hops = await stage.control.newHops();
    const way = hops.filter(({ requestId }) => requestId === id);
    faults.push(...faultsOn(steps, way, { changed, own }));
  }
  return inTheirTurn(faults);
}

/** Each route and hop before the same with something else said; of these the closest first. */
export function inTheirTurn(faults: readonly SweptFault[]): SweptFault[] {
  const seen = new Map<string, number>();
  const placed = faults.map((fault) => {
    const place = placeOf(fault);
    const turn = seen.get(place) ?? 0;
    seen.set(place, turn + 1);
    return { fault, turn, far: fault.isClose ? 0 : 1 };
  });
  return placed
    .toSorted((one, other) => one.turn - other.turn || one.far - other.far)
    .map(({ fault }) => fault);
}

function placeOf({ steps, hop, kind }: SweptFault): string {
  const last = steps.at(-1);
  return `${last ? tellRequest(last.request) : ''} ${hop} ${kind}`;
}

const triesOfFault = 4;

/** Most show nothing at a glance; what does may only have come late, so then it is waited for. */
async function tryFault(stage: Stage, fault: SweptFault, plan: SweepPlan): Promise<Relapsed[]> {
  const glance = await findIn(1, stage, fault, { ...plan, quietMs: 0 });
  const found = glance.length > 0 ? await findIn(triesOfFault, stage, fault, plan) : [];
  return found.map((relapse) => ({ fault, relapse }));
}

async function findIn(
  tries: number,
  stage: Stage,
  fault: SweptFault,
  { watch, quietMs }: SweepPlan,
): Promise<Relapse[]> {
  const [control, candidate]: [Retried[], Retried[]] = [[], []];
  let found: Relapse[] = [];
  for (let n = 0; n < tries; n++) {
    const [one, other] = await stage.both((arm) =>
      retry(arm, fault, { watch: () => watch(arm.lane), quietMs }),
    );
    if (!one || !other) return [];
    control.push(one);
    candidate.push(other);
    // One of all may be chance.
    found = findRelapses({ fault, control, candidate }, Math.max(1, n));
    if (found.length === 0 || stage.isLate) return [];
  }
  return found;
}

/** The same thing shows at several hops of one way: it is told once, by the closest. */
function kindOf({ fault, relapse }: Relapsed): string {
  const last = fault.steps.at(-1);
  return `${last ? tellRequest(last.request) : ''} ${relapse.class} ${relapse.what}`;
}

function nameOf({ what, hop, place }: Relapse): string {
  return `${what} ${hop} ${place}`;
}

function tellSweep(tried: number, all: number): string[] {
  if (all === 0) return [];
  const left = all > tried ? `; ${all - tried} more were left out` : '';
  return [`tried again after ${tried} faults on the way of requests${left}`];
}
