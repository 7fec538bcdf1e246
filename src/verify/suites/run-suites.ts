import { type Actor, committedValue, fault } from '../../kernel/index.ts';
import type { Lane } from '../../lanes/index.ts';
import type { SubmittedTest, SuiteRun, SuitesRequest, SuitesRun } from '../api-schema.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { runner } from '../pipeline/lane-pair.ts';
import { runSuite } from './run-suite.ts';
import { withTest } from './submitted-test.ts';
import { checkSuites, namedSuites } from './suite-selection.ts';
import { targetOf } from './suite-target.ts';

/** Runs suites on a lane or on the baseline, without a verdict. */
export async function runSuitesOn(
  actor: Actor,
  request: SuitesRequest,
  context: VerifyContext,
): Promise<SuitesRun> {
  const { suites = Object.keys(context.config.suites), lane = null } = request;
  checkSuites(context.config, suites);
  const proposal = { actor, tool: 'suite.run', arguments: { suites: [...suites], lane } };
  const outcome = await context.act(proposal, async () => {
    const run = await inLane(actor, lane, context, async (target) => ({
      version: target.base,
      runs: await runSuites(target, target.base, context, suites),
    }));
    return run;
  });
  return committedValue(outcome);
}

async function inLane<Result>(
  actor: Actor,
  lane: string | null,
  context: VerifyContext,
  work: (lane: Lane) => Promise<Result>,
): Promise<Result> {
  if (lane !== null) return work(await findOwn(actor, lane, context));
  const base = await context.baseline.version();
  const opened = await context.lanes.open(runner, { base, transient: true });
  try {
    return await work(opened);
  } finally {
    await context.lanes.close(runner, opened.lane);
  }
}

/** An agent sends nothing into a lane of somebody else. */
async function findOwn(actor: Actor, lane: string, { lanes }: VerifyContext): Promise<Lane> {
  const found = await lanes.find(lane);
  if (!actor.startsWith('agent:') || found.owner === actor) return found;
  throw fault('LANE_CLOSED', { lane });
}

/** The suites of a version, all if none is named. They are the base's, never the change's own. */
export async function runSuites(
  lane: Lane,
  base: string,
  context: VerifyContext,
  names?: readonly string[],
): Promise<SuiteRun[]> {
  const { root } = await context.trees.open(base);
  const runs: SuiteRun[] = [];
  for (const [name, suite] of namedSuites(context.config, names)) {
    runs.push(await runSuite(name, suite, await targetOf(lane, root, context)));
  }
  return runs;
}

export async function runTest(
  test: SubmittedTest,
  lane: Lane,
  base: string,
  context: VerifyContext,
): Promise<SuiteRun> {
  return withTest(test, base, context, async (suite, root) =>
    runSuite(test.path, suite, await targetOf(lane, root, context)),
  );
}
