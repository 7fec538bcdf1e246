import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Actor, committedValue, fault, type MakeIdentifier } from '../../kernel/index.ts';
import type { Lane, Trees, VersionTree } from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import type { SubmittedTest, SuiteRun, SuitesRequest, SuitesRun } from '../api-schema.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { runner } from '../pipeline/lane-pair.ts';
import { runSuite } from './run-suite.ts';
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
    context.confinement.check(actor);
    const run = await inLane(actor, lane, context, async (target, own) => ({
      version: target.base,
      runs: await runSuites(target, target.base, own, suites),
    }));
    return run;
  });
  return committedValue(outcome);
}

async function inLane<Result>(
  actor: Actor,
  lane: string | null,
  context: VerifyContext,
  work: (lane: Lane, context: VerifyContext) => Promise<Result>,
): Promise<Result> {
  if (lane !== null) return work(await findOwn(actor, lane, context), context);
  return onBaseline(await context.baseline.version(), context, work);
}

/**
 * In a lane on the baseline itself. If a suite wants to capture values inside services, once more
 * with copies of these: nobody looks into the shared ones.
 */
export async function onBaseline<Result>(
  base: string,
  context: VerifyContext,
  work: (lane: Lane, context: VerifyContext) => Promise<Result>,
): Promise<Result> {
  const missing = new Set<string>();
  const run = async (services: readonly string[]): Promise<Result> => {
    const lane = await context.lanes.open(runner, { base, services, transient: true });
    try {
      return await work(lane, noting(missing, context));
    } finally {
      await context.lanes.close(runner, lane.lane);
    }
  };
  const result = await run([]);
  return missing.size === 0 ? result : run([...missing]);
}

function noting(missing: Set<string>, context: VerifyContext): VerifyContext {
  const { captures } = context;
  const onMissingCopy = (service: string): unknown => missing.add(service);
  return captures ? { ...context, captures: { ...captures, onMissingCopy } } : context;
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
  const tree = await context.trees.open(base);
  const runs: SuiteRun[] = [];
  for (const [name, suite] of namedSuites(context.config, names)) {
    runs.push(await runSuite(name, suite, await targetOf(lane, tree, context)));
  }
  return runs;
}

export async function runTest(
  test: SubmittedTest,
  lane: Lane,
  base: string,
  context: VerifyContext,
): Promise<SuiteRun> {
  return withTest(test, base, context, async (suite, tree) =>
    runSuite(test.path, suite, await targetOf(lane, tree, context, context.requestedBy)),
  );
}

/** Only names that mean the same to Surety, git and a shell. */
const safePath = /^[A-Za-z0-9_][\w./-]{0,199}$/;

/** Adds the test to a separate tree of the base, and removes the tree after use. */
export async function withTest<Result>(
  { path, code }: SubmittedTest,
  base: string,
  deps: { trees: Trees; config: Config; makeIdentifier: MakeIdentifier },
  use: (suite: SuiteConfig, tree: VersionTree) => Promise<Result>,
): Promise<Result> {
  const { tests } = deps.config;
  if (!tests) throw fault('TESTS_NOT_CONFIGURED', {});
  if (!safePath.test(path) || normalize(path) !== path || path.split('/').includes('..')) {
    throw fault('TEST_OUTSIDE', { path, reason: 'the path leads out of it' });
  }
  const name = deps.makeIdentifier('test');
  const tree = await deps.trees.open(base, name);
  try {
    const file = join(tree.root, path);
    if (leadsThroughLink(tree.root, path)) {
      // Such as node_modules, which is that of the owner's own checkout.
      throw fault('TEST_OUTSIDE', { path, reason: 'a link leads out of it' });
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return await use({ ...tests, command: `${tests.command} ${path}` }, tree);
  } finally {
    await deps.trees.remove(name);
  }
}

/** Whether a part of the path, or the file itself, is a link. */
function leadsThroughLink(root: string, path: string): boolean {
  const parts = path.split('/');
  const places = parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
  return places.some((place) => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink());
}
