import {
  type RepeatSuites,
  type SuitesResult,
  type WatchRow,
  wasProven,
} from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import type { SubmittedTest, SuiteRun } from '../api-schema.ts';
import { activeDisputes } from '../history/disputes.ts';
import { markDisputedChecks } from '../judge/finding-id.ts';
import { promotedEdits } from '../suites/edited-suites.ts';
import { laneNeeded } from '../suites/reports/index.ts';
import { runSuite } from '../suites/run-suite.ts';
import { withTest } from '../suites/run-suites.ts';
import { chooseSuites, dependsOnChange, profileFor } from '../suites/suite-selection.ts';
import { plainTarget } from '../suites/suite-target.ts';
import { readTest, type TaskContext } from './task-steps.ts';

/**
 * Runs the suites, and the test of the task, on the promoted version: the requests go
 * straight to the ingress and carry no key, and the services are those of the baseline. A person's
 * promotion without a verdict was never seen to pass them, so it is not judged by them.
 */
export function createRepeatSuites(context: TaskContext): RepeatSuites {
  return async (watched) => {
    if (!wasProven(watched)) return 'none';
    const before = await stoppedServices(context);
    const result = await repeat(watched, context);
    return before === (await stoppedServices(context)) ? result : 'disturbed';
  };
}

async function repeat(watched: WatchRow, context: TaskContext): Promise<SuitesResult> {
  const { trees, config } = context;
  const edited = await promotedEdits(watched, context);
  const chosen = await chosenSuites(watched, context);
  const suites = chosen.filter(([, suite]) => isForPromoted(suite, config));
  for (const [name, suite] of suites) {
    // Of the base, so that no code of the change judges it, except for what a person allowed.
    const tree = await trees.open(edited.includes(name) ? watched.commit : watched.base);
    const target = await plainTarget(tree, context);
    const failed = await failureOf(() => runSuite(name, suite, target), context);
    if (failed !== null) return { failed };
  }
  const isTestLeftOut = config.tests !== undefined && !isForPromoted(config.tests, config);
  if (isTestLeftOut || watched.task === null) return suites.length === 0 ? 'none' : 'passed';
  const test = await readTest(await context.findTask(watched.task), context.ledger);
  const failed = await failureOfTest(test, watched.base, context);
  return failed === null ? 'passed' : { failed };
}

/**
 * Without a lane, a suite gets the addresses of the live data. Postgres lets it read only; what it
 * would empty or overwrite in another store is not data of a lane, so the owner has to ask for it.
 */
export function isForPromoted(
  { promoted, stores = [] }: Pick<SuiteConfig, 'promoted' | 'stores'>,
  { datastores }: Pick<Config, 'datastores'>,
): boolean {
  return promoted ?? stores.every((name) => datastores[name]?.kind === 'postgres');
}

async function failureOfTest(
  test: SubmittedTest,
  base: string,
  context: TaskContext,
): Promise<string | null> {
  return withTest(test, base, context, async (suite, tree) => {
    const target = await plainTarget(tree, context);
    return failureOf(() => runSuite(test.path, suite, target), context);
  });
}

/** Those that a verdict on this change runs. */
async function chosenSuites({ base, commit, services }: WatchRow, context: TaskContext) {
  const { config, lanes, trees } = context;
  const unknown = { files: [], services: [...services], kinds: [] };
  const change = dependsOnChange(config)
    ? await lanes.factsOf({ patch: await trees.diff(base, commit), base }).catch(() => unknown)
    : unknown;
  const profile = profileFor(config, change, undefined);
  return chooseSuites(config, { wanted: undefined, profile, change }).suites;
}

/** A second run has to confirm the first: a single failure may be chance. */
async function failureOf(
  run: () => Promise<SuiteRun>,
  { ledger, clock }: TaskContext,
): Promise<string | null> {
  const disputes = await activeDisputes(ledger, clock.now());
  const look = async (): Promise<string | null> =>
    whatFailed(markDisputedChecks(await run(), disputes));
  return (await look()) === null ? null : look();
}

/** Pure. A broken suite fails too: the change could have broken it. */
export function whatFailed({ suite, result, checks, reason }: SuiteRun): string | null {
  const check = checks.find(({ passed, disputed }) => !passed && !disputed)?.check;
  const isAsExpected =
    result === 'passed' || (check === undefined && reason?.startsWith(laneNeeded));
  if (isAsExpected) return null;
  const detail = check === undefined ? (reason ?? 'it failed') : `"${check}" failed`;
  return `${suite} passed in a lane, and fails on the promoted version without one: ${detail}`;
}

/** Of the whole system, as one text to compare. */
async function stoppedServices({ baseline }: TaskContext): Promise<string> {
  const stopped = (await baseline.status()).filter(({ state }) => state === 'stopped');
  return stopped.map(({ service }) => service).join(' ');
}
