import type { Hop, Lanes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Difference } from '../compare/index.ts';
import { watchWrites } from '../observe/write-watch.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import { findAgain, lookAtOnce } from './clashes.ts';
import { findLeak } from './judge-growth.ts';
import {
  type BlockPair,
  findErrorsAlone,
  findStrains,
  isAgain,
  type Strain,
} from './judge-load.ts';
import { findToil, toilDifference } from './judge-toil.ts';
import { type LoadPlan, Stage, type StageContext } from './stage.ts';
import { type SweepPlan, sweepAgain, sweepFaults } from './sweep.ts';
import { leakDifference, leakRemark } from './tell-growth.ts';
import { heldRemark, strainDifference } from './tell-load.ts';

export interface LoadContext extends StageContext {
  /** Two new lanes like those; they are closed when the work is done. */
  withFreshLanes<Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result>;
  /** To see what lanes write into stores of their own. */
  readonly lanes?: Pick<Lanes, 'rows'>;
  readonly config?: Pick<Config, 'services'>;
}

export interface LoadResult {
  readonly differences: readonly Difference[];
  readonly remarks: readonly string[];
  /** Of requests that show what was found. */
  readonly shown: readonly Hop[];
  /** Why it can't be said that it bears the load. */
  readonly undecided: readonly string[];
}

export const noLoad: LoadResult = { differences: [], remarks: [], shown: [], undecided: [] };
const tooLate = 'the deadline passed before all load was applied';

/** Clients that come at once, step by step; each step on both versions in turn. */
const ramp = [4, 12, 24] as const;
const pairsOfStep = 3;

/** More and more clients at once, until something gives; it has to give on a fresh start, too. */
export async function putLoad(plan: LoadPlan, context: LoadContext): Promise<LoadResult> {
  const late = { ...noLoad, undecided: [tooLate] };
  if (context.signal?.aborted) return late;
  const result = await onStage(plan, context, (stage) => climb(stage, plan, context));
  // What was seen on both starts stays true.
  return context.signal?.aborted && result.differences.length === 0 ? late : result;
}

async function climb(stage: Stage, plan: LoadPlan, context: LoadContext): Promise<LoadResult> {
  const clashes = await lookAtOnce(stage, plan.services);
  if (clashes.length > 0) {
    const again = await onFreshStage(plan, context, (fresh) =>
      findAgain(fresh, clashes, plan.services),
    );
    if (again.differences.length > 0) return { ...noLoad, ...again };
  }
  const loaded = await loadMore(stage, plan, context);
  if (loaded.differences.length > 0) return loaded;
  // Last: circuit breakers that faults have opened would answer for whatever is slow behind them.
  const swept = await sweep(stage, plan, context);
  return { ...swept, remarks: [...loaded.remarks, ...swept.remarks] };
}

/** What becomes of requests that something happened to on their way, and that are sent again. */
async function sweep(stage: Stage, plan: LoadPlan, context: LoadContext): Promise<LoadResult> {
  context.onProgress?.('faults on the way of requests that are sent again');
  const { services } = plan;
  const { relapsed, remarks } = await sweepFaults(stage, sweepPlan(plan, context));
  if (relapsed.length === 0) return { ...noLoad, remarks };
  const again = await context.withFreshLanes((lanes) =>
    onStage({ ...plan, lanes }, context, (fresh) =>
      sweepAgain(fresh, relapsed, sweepPlan({ services, lanes }, context)),
    ),
  );
  return { ...noLoad, remarks, ...again };
}

/** What is done after an answer may be gathered for a moment. */
const quietMs = 300;

function sweepPlan(
  { services, lanes: { candidate } }: Pick<LoadPlan, 'services' | 'lanes'>,
  { lanes, config = { services: {} } }: LoadContext,
): SweepPlan {
  const context = lanes ? { lanes, config } : { config };
  return { services, watch: (lane) => watchWrites(lane, candidate, context), quietMs };
}

async function loadMore(stage: Stage, plan: LoadPlan, context: LoadContext): Promise<LoadResult> {
  for (const clients of ramp) {
    const first = await stage.runPairs(clients, pairsOfStep);
    const strains = stage.isLate ? [] : findStrains(first);
    const confirmed = strains.length > 0 ? await confirm(strains, plan, context) : null;
    if (confirmed) return tellStrain(confirmed, { ...stage, first }, plan.services);
  }
  if (stage.isLate) return noLoad;
  const leak = await tellLeak(stage.pairs, plan, context);
  return leak.differences.length > 0 ? leak : tellToil(stage.pairs, leak, plan, context);
}

/** On a fresh start it has to come to as many requests again: it may be more with each. */
async function tellToil(
  pairs: readonly BlockPair[],
  otherwise: LoadResult,
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  const { services } = plan;
  const toil = findToil(pairs, services.length);
  if (!toil) return otherwise;
  const again = await onFreshStage(plan, context, async (stage) => {
    for (const clients of ramp) await stage.runPairs(clients, pairsOfStep);
    return stage.isLate ? null : findToil(stage.pairs, services.length);
  });
  return again?.index === toil.index
    ? { ...noLoad, differences: [toilDifference(again, services)] }
    : otherwise;
}

interface Confirmed {
  readonly strain: Strain;
  readonly pairs: readonly BlockPair[];
}

/** On fresh processes, up the same ramp. */
function confirm(
  strains: readonly Strain[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<Confirmed | null> {
  const wanted = strains[0]?.clients ?? 0;
  return onFreshStage(plan, context, async (stage) => {
    for (const clients of ramp.filter((one) => one < wanted)) {
      await stage.runPairs(clients, 1);
    }
    const pairs = await stage.runPairs(wanted, pairsOfStep);
    // Fewer, when the time is up meanwhile, confirm nothing.
    if (pairs.length < pairsOfStep) return null;
    const strain = findStrains(pairs).find((one) => isAgain(one, strains));
    if (!strain) return null;
    const alone = strain.what === 'errors' ? await findAlone(stage) : null;
    return alone ?? { strain, pairs };
  });
}

/** What is rare needs so many; fewer are enough once it was seen often enough. */
const pairsAlone = 24;

/** Errors that come to a client that is alone are none of load: it only had enough requests. */
async function findAlone(stage: Stage): Promise<Confirmed | null> {
  const pairs: BlockPair[] = [];
  for (let n = 0; n < pairsAlone && !stage.isLate; n++) {
    pairs.push(...(await stage.runPairs(1, 1)));
    const strain = findErrorsAlone(pairs);
    if (strain) return { strain, pairs };
  }
  return null;
}

function tellStrain(
  { strain, pairs }: Confirmed,
  {
    first,
    pairs: all,
  }: { readonly first: readonly BlockPair[]; readonly pairs: readonly BlockPair[] },
  services: readonly string[],
): LoadResult {
  const { difference, shown } = strainDifference(strain, { first, again: pairs, all }, services);
  return { ...noLoad, differences: [difference], shown };
}

/** As many requests as it took to see it at first, and more. */
const clientsForLeak = 12;
const pairsForLeak = 6;

/** What grows with its garbage may be a heap that finds its size: that fails nothing. */
async function tellLeak(
  pairs: readonly BlockPair[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  const { services } = plan;
  const leak = findLeak(pairs, services.length);
  const held = heldRemark(pairs);
  if (!leak) return { ...noLoad, remarks: [held] };
  const remarks = [held, leakRemark(leak, services)];
  if (!leak.isCertain) return { ...noLoad, remarks };
  const again = await onFreshStage(plan, context, async (stage) => {
    const more = await stage.runPairs(clientsForLeak, pairsForLeak);
    return more.length < pairsForLeak ? null : findLeak(more, services.length);
  });
  return again?.index === leak.index
    ? { ...noLoad, differences: [leakDifference(again, services)] }
    : { ...noLoad, remarks };
}

async function onStage<Result>(
  plan: LoadPlan,
  context: LoadContext,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const stage = await Stage.open(plan, context);
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/** One lucky process must not decide. */
function onFreshStage<Result>(
  plan: LoadPlan,
  context: LoadContext,
  work: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  return context.withFreshLanes((lanes) => onStage({ ...plan, lanes }, context, work));
}
