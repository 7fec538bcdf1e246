import {
  type Act,
  type Actor,
  committedValue,
  fault,
  type JsonObject,
} from '../../kernel/index.ts';
import type { Baseline, Lane } from '../../lanes/index.ts';
import { runner } from '../pipeline/lane-pair.ts';
import type { RunDeps } from '../pipeline/run.ts';
import { checkSuites } from '../pipeline/verify.ts';
import { runSuite, type SuiteRun } from './run-suite.ts';
import { namedSuites } from './suite-selection.ts';
import { targetOf } from './suite-target.ts';

export interface SuitesDeps extends RunDeps {
  readonly act: Act;
  readonly baseline: Baseline;
}

export interface SuitesRequest {
  /** All of them if left out. */
  readonly suites?: readonly string[] | undefined;
  /** Where the requests go; to the running version if left out. */
  readonly lane?: string | undefined;
}

export type SuitesRun = { readonly version: string; readonly runs: readonly SuiteRun[] };

/** Suites on a lane, or on what runs now: a look at the system, and no verdict. */
export async function runSuitesOn(
  actor: Actor,
  request: SuitesRequest,
  deps: SuitesDeps,
): Promise<SuitesRun> {
  const { suites = Object.keys(deps.config.suites), lane = null } = request;
  checkSuites(deps, suites);
  const proposal = { actor, tool: 'suite.run', arguments: { suites: [...suites], lane } };
  const outcome = await deps.act(proposal, async () => {
    const ran = await inLane(actor, lane, deps, (target) => runAll(target, suites, deps));
    return ran as unknown as JsonObject;
  });
  return committedValue(outcome) as unknown as SuitesRun;
}

async function inLane<Result>(
  actor: Actor,
  lane: string | null,
  deps: SuitesDeps,
  work: (lane: Lane) => Promise<Result>,
): Promise<Result> {
  if (lane !== null) return work(await findOwn(actor, lane, deps));
  const base = await deps.baseline.version();
  const opened = await deps.lanes.open(runner, { base, transient: true });
  try {
    return await work(opened);
  } finally {
    await deps.lanes.close(runner, opened.lane);
  }
}

/** An agent sends nothing into a lane of somebody else. */
async function findOwn(actor: Actor, lane: string, { lanes }: SuitesDeps): Promise<Lane> {
  const found = await lanes.find(lane);
  if (!actor.startsWith('agent:') || found.owner === actor) return found;
  throw fault('LANE_CLOSED', { lane });
}

/** Suites are taken from the base: a change can't weaken the checks that look at it. */
async function runAll(lane: Lane, suites: readonly string[], deps: SuitesDeps): Promise<SuitesRun> {
  const { root } = await deps.trees.open(lane.base);
  const runs: SuiteRun[] = [];
  for (const [name, suite] of namedSuites(deps.config, suites)) {
    runs.push(await runSuite(name, suite, await targetOf(lane, root, deps)));
  }
  return { version: lane.base, runs };
}
