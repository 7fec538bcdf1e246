import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, committedValue, toFault } from '../../kernel/index.ts';
import {
  attributeOwnCalls,
  type CallerCopy,
  callsOf,
  type Hop,
  type Lane,
  proveReach,
  whyNoCopy,
} from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { learnFromCopies, rememberUnsafe } from '../pipeline/caller-copies.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { lifeOf, runner } from '../pipeline/lane-pair.ts';
import { checkSuites } from '../suites/suite-selection.ts';
import type { LaneCheck, LaneCheckRequest } from './api-schema.ts';
import { findLosses, listCalls, withoutDoubts } from './checked-calls.ts';
import { sendKnownRequests } from './known-requests.ts';

/** Sends the known requests through a lane of the baseline; reports which calls lose its key. */
export async function checkLanes(
  actor: Actor,
  { suites }: LaneCheckRequest,
  context: VerifyContext,
): Promise<LaneCheck> {
  checkSuites(context.config, suites ?? []);
  const named = suites ?? Object.keys(context.config.suites);
  // What it does to the system is to run suites on it.
  const proposal = { actor, tool: 'suite.run', arguments: { suites: [...named], lane: null } };
  const outcome = await context.act(proposal, async () => {
    context.confinement.check(actor);
    return checkKeys({ base: await context.baseline.version(), suites }, context);
  });
  return committedValue(outcome);
}

export interface KeyCheck extends LaneCheckRequest {
  readonly base: string;
}

/** What it finds is remembered, so that later lanes have copies of the callers that need them. */
export async function checkKeys(
  { base, suites }: KeyCheck,
  context: VerifyContext,
): Promise<LaneCheck> {
  const { lanes, trees, config } = context;
  lanes.callers.setChecked(base);
  const tree = await trees.open(base);
  const { lane, unchecked } = await openCheckLane(base, context);
  try {
    const sent = await sendKnownRequests(lane, { tree, suites }, context);
    const hops = withoutDoubts(attributeOwnCalls(await settledHops(lane, context)));
    const reach = proveReach(lane, hops, config);
    const seen = { lane, hops, reach, base, config, facts: lanes.callers };
    learnFromCopies(seen);
    rememberUnsafe(seen);
    return {
      version: base,
      ...sent,
      calls: listCalls(hops, reach.lost, config),
      losses: findLosses({ hops, lost: reach.lost, root: tree.root, config }),
      copies: lane.candidates.map(({ service }) => service),
      unchecked,
    };
  } finally {
    await lanes.close(runner, lane.lane);
  }
}

/** The preload reports losses itself. Of other programs only a copy shows calls without the key. */
function copiesToCheck(config: Config): { copies: CallerCopy[]; unchecked: CallerCopy[] } {
  const calls = callsOf(config);
  const copies: CallerCopy[] = [];
  const unchecked: CallerCopy[] = [];
  for (const [service, { tagging }] of Object.entries(config.services)) {
    if (tagging === 'preload' || calls(service).length === 0) continue;
    const obstacle = whyNoCopy(config, service);
    if (obstacle === null) copies.push({ service, why: 'its calls are checked' });
    else unchecked.push({ service, why: obstacle });
  }
  return { copies, unchecked };
}

async function openCheckLane(
  base: string,
  { lanes, config }: VerifyContext,
): Promise<{ lane: Lane; unchecked: readonly CallerCopy[] }> {
  const { copies, unchecked } = copiesToCheck(config);
  const open = (callerCopies: readonly CallerCopy[]): Promise<Lane> =>
    lanes.open(runner, { base, callerCopies, transient: true, ttlMs: lifeOf(config) });
  try {
    return { lane: await open(copies), unchecked };
  } catch (error) {
    if (copies.length === 0) throw error;
    // A copy that does not start is no reason to learn nothing of the other services.
    const why = toFault(error).message;
    const unopened = copies.map(({ service }) => ({ service, why }));
    return { lane: await open([]), unchecked: [...unopened, ...unchecked] };
  }
}

const looksMax = 20;
const lookEveryMs = 50;

/** Services report a loss after the call that lost the key: until nothing new comes. */
async function settledHops({ lane }: Lane, { routes }: VerifyContext): Promise<readonly Hop[]> {
  let hops = await routes.hops(lane);
  for (let look = 1; look < looksMax; look++) {
    await delay(lookEveryMs);
    const next = await routes.hops(lane);
    if (next.length === hops.length) return next;
    hops = next;
  }
  return hops;
}
