import type { Hop, Lanes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Difference } from '../compare/index.ts';
import { watchWrites } from '../observe/written-rows.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import { confirmConflicts, findConflictingRequests } from './conflicts.ts';
import { cpuDifference, findCpuIncrease } from './cpu-increase.ts';
import {
  type BlockPair,
  type Degradation,
  findDegradations,
  findErrorsAlone,
  isSameDegradation,
} from './degradation.ts';
import {
  confirmDefects,
  formatHidden,
  formatUnconfirmed,
  type SweepPlan,
  sweepFaults,
} from './fault-sweep.ts';
import {
  degradationDifference,
  formatNoDegradation,
  formatOtherAnswer,
} from './format-degradation.ts';
import { findLeak, formatLeak, leakDifference } from './leak.ts';
import { type LoadPlan, LoadSession, type SessionContext } from './load-session.ts';
import { findMemoryIncrease, memoryDifference } from './memory-increase.ts';

export interface LoadContext extends SessionContext {
  /** Opens two new lanes of the same kind, and closes them after the work. */
  withFreshLanes<Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result>;
  /** Reads what lanes write into stores of their own. */
  readonly lanes?: Pick<Lanes, 'rows'>;
  readonly config?: Pick<Config, 'services'>;
}

interface LoadResult {
  readonly differences: readonly Difference[];
  readonly remarks: readonly string[];
  /** The hops of requests that show what was found. */
  readonly shown: readonly Hop[];
  /** Why load does not show that the change is fine. */
  readonly undecided: readonly string[];
}

export const noLoad: LoadResult = { differences: [], remarks: [], shown: [], undecided: [] };
const tooLate = 'the deadline passed before all load was applied';

/** Concurrent clients, step by step; each step runs on both versions in turn. */
const ramp = [4, 12, 24] as const;
const pairsOfStep = 3;

/** More and more clients, until something degrades; a fresh start has to confirm it. */
export async function applyLoad(plan: LoadPlan, context: LoadContext): Promise<LoadResult> {
  const late = { ...noLoad, undecided: [tooLate] };
  if (context.signal?.aborted) return late;
  const result = await withSession(plan, context, (session) => runLoad(session, plan, context));
  // What two starts have shown stays true after the deadline.
  return context.signal?.aborted && result.differences.length === 0 ? late : result;
}

async function runLoad(
  session: LoadSession,
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  const { services } = plan;
  const conflicts = findConflictingRequests(await session.sendConcurrently(), services);
  const judged =
    conflicts.length === 0
      ? noLoad
      : await withFreshSession(plan, context, async (fresh) => {
          const trials = await fresh.sendConcurrently(conflicts.map(({ steps }) => steps));
          return confirmConflicts(trials, conflicts, services);
        });
  if (judged.differences.length > 0) return { ...noLoad, ...judged };
  const loaded = await rampUp(session, plan, context);
  if (loaded.differences.length > 0) return loaded;
  // Last: circuit breakers that faults have opened would hide what is slow behind them.
  const swept = await sweep(session, plan, context);
  return {
    ...swept,
    remarks: [...loaded.remarks, ...swept.remarks],
    undecided: [...judged.undecided, ...loaded.undecided, ...swept.undecided],
  };
}

/** Injects faults into requests that their client then sends again. */
async function sweep(
  session: LoadSession,
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  context.onProgress?.('injecting faults into requests that are sent again');
  const { services } = plan;
  const { defects: found, remarks } = await sweepFaults(session, sweepPlan(plan, context));
  const doubts = found.filter(({ defect }) => defect.isDoubt).map(formatHidden);
  const defects = found.filter(({ defect }) => !defect.isDoubt);
  if (defects.length === 0) return { ...noLoad, remarks, undecided: [...new Set(doubts)] };
  const confirmed = await context.withFreshLanes((lanes) =>
    withSession({ ...plan, lanes }, context, (fresh) =>
      confirmDefects(fresh, defects, sweepPlan({ services, lanes }, context)),
    ),
  );
  // Most tries of the first start have shown it: that the second did not is no proof against it.
  const open = confirmed.differences.length > 0 ? [] : defects.map(formatUnconfirmed);
  return { ...noLoad, remarks, undecided: open, ...confirmed };
}

/** Services may collect for a moment what they do after an answer. */
const quietMs = 300;

function sweepPlan(
  { services, lanes: { candidate } }: Pick<LoadPlan, 'services' | 'lanes'>,
  { lanes, config = { services: {} } }: LoadContext,
): SweepPlan {
  const context = lanes ? { lanes, config } : { config };
  return { services, watch: (lane) => watchWrites(lane, candidate, context), quietMs };
}

async function rampUp(
  session: LoadSession,
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  const { services } = plan;
  const doubts: string[] = [];
  for (const clients of ramp) {
    const first = await session.runPairs(clients, pairsOfStep);
    const found = session.isLate ? [] : findDegradations(first);
    const confirmed = found.length > 0 ? await confirmDegradation(found, plan, context) : null;
    if (!confirmed) {
      doubts.push(...found.filter(({ what }) => what === 'answers').map(formatOtherAnswer));
      continue;
    }
    const blocks = { first, again: confirmed.pairs, all: session.pairs };
    const { difference, shown } = degradationDifference(confirmed.degradation, blocks, services);
    return { ...noLoad, differences: [difference], shown };
  }
  if (session.isLate) return noLoad;
  const leak = await confirmLeak(session.pairs, plan, context);
  if (leak.differences.length > 0) return leak;
  const increase =
    (await confirmCpuIncrease(session.pairs, plan, context)) ??
    (await confirmMemoryIncrease(session.pairs, plan, context));
  return increase ? { ...noLoad, differences: [increase] } : { ...leak, undecided: doubts };
}

/** What a process holds once it has served some requests; another process has to hold as much. */
async function confirmMemoryIncrease(
  pairs: readonly BlockPair[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<Difference | null> {
  const { services } = plan;
  const found = findMemoryIncrease(pairs, services.length);
  if (!found) return null;
  const again = await withFreshSession(plan, context, async (session) =>
    findMemoryIncrease(await session.runPairs(ramp[0], 2), services.length),
  );
  return again?.index === found.index ? memoryDifference(again, services) : null;
}

/** A fresh start has to send as many requests, since the increase may grow with each. */
async function confirmCpuIncrease(
  pairs: readonly BlockPair[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<Difference | null> {
  const { services } = plan;
  const found = findCpuIncrease(pairs, services.length);
  if (!found) return null;
  const again = await withFreshSession(plan, context, async (session) => {
    for (const clients of ramp) await session.runPairs(clients, pairsOfStep);
    return session.isLate ? null : findCpuIncrease(session.pairs, services.length);
  });
  return again?.index === found.index ? cpuDifference(again, services) : null;
}

interface ConfirmedDegradation {
  readonly degradation: Degradation;
  readonly pairs: readonly BlockPair[];
}

/** On fresh processes, up the same ramp. */
function confirmDegradation(
  found: readonly Degradation[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<ConfirmedDegradation | null> {
  const wanted = found[0]?.clients ?? 0;
  return withFreshSession(plan, context, async (session) => {
    for (const clients of ramp.filter((one) => one < wanted)) {
      await session.runPairs(clients, 1);
    }
    const pairs = await session.runPairs(wanted, pairsOfStep);
    // There are fewer after the deadline, and fewer confirm nothing.
    if (pairs.length < pairsOfStep) return null;
    const degradation = findDegradations(pairs).find((one) => isSameDegradation(one, found));
    if (!degradation) return null;
    const alone = degradation.what === 'errors' ? await findErrorsOfOneClient(session) : null;
    return alone ?? { degradation, pairs };
  });
}

/** Rare errors need this many pairs; fewer are enough once there are enough errors. */
const pairsAlone = 24;

/** Errors that a single client gets are not caused by load, which only sent enough requests. */
async function findErrorsOfOneClient(session: LoadSession): Promise<ConfirmedDegradation | null> {
  const pairs: BlockPair[] = [];
  for (let n = 0; n < pairsAlone && !session.isLate; n++) {
    pairs.push(...(await session.runPairs(1, 1)));
    const degradation = findErrorsAlone(pairs);
    if (degradation) return { degradation, pairs };
  }
  return null;
}

/** At least as many requests as it took to find the leak. */
const clientsForLeak = 12;
const pairsForLeak = 6;

/** Growth that includes garbage may be a heap that finds its size, so it does not fail a change. */
async function confirmLeak(
  pairs: readonly BlockPair[],
  plan: LoadPlan,
  context: LoadContext,
): Promise<LoadResult> {
  const { services } = plan;
  const leak = findLeak(pairs, services.length);
  const remark = formatNoDegradation(pairs);
  if (!leak) return { ...noLoad, remarks: [remark] };
  const remarks = [remark, formatLeak(leak, services)];
  if (!leak.isCertain) return { ...noLoad, remarks };
  const again = await withFreshSession(plan, context, async (session) => {
    const more = await session.runPairs(clientsForLeak, pairsForLeak);
    return more.length < pairsForLeak ? null : findLeak(more, services.length);
  });
  return again?.index === leak.index
    ? { ...noLoad, differences: [leakDifference(again, services)] }
    : { ...noLoad, remarks };
}

async function withSession<Result>(
  plan: LoadPlan,
  context: LoadContext,
  work: (session: LoadSession) => Promise<Result>,
): Promise<Result> {
  const session = await LoadSession.open(plan, context);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

/** One lucky or unlucky process must not decide. */
function withFreshSession<Result>(
  plan: LoadPlan,
  context: LoadContext,
  work: (session: LoadSession) => Promise<Result>,
): Promise<Result> {
  return context.withFreshLanes((lanes) => withSession({ ...plan, lanes }, context, work));
}
