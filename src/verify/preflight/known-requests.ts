import type { Lane, VersionTree } from '../../lanes/index.ts';
import { describedRequests } from '../../system/index.ts';
import { replayOn } from '../observe/extra-traffic.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { runSuite } from '../suites/run-suite.ts';
import { namedSuites } from '../suites/suite-selection.ts';
import { targetOf } from '../suites/suite-target.ts';
import {
  chooseReplay,
  givenScenarios,
  routeName,
  type Scenario,
  safetyOf,
  scenarioOf,
} from '../traffic/index.ts';

/** What a check sent to its lane. */
export interface SentRoutes {
  readonly routes: readonly string[];
  readonly unsent: readonly string[];
}

/**
 * At least one request of each known route: what the suites ask, which only running them shows;
 * then recorded traffic and OpenAPI, as far as they know other routes and are safe to repeat.
 */
export async function sendKnownRequests(
  lane: Lane,
  wanted: { readonly tree: VersionTree; readonly suites: readonly string[] | undefined },
  context: VerifyContext,
): Promise<SentRoutes> {
  const suites = await runAll(lane, wanted, context);
  const routes = new Set(suites.flatMap(routesOf));
  const send = async (scenario: Scenario): Promise<void> => {
    if (context.signal?.aborted || routesOf(scenario).every((route) => routes.has(route))) return;
    for (const route of routesOf(scenario)) routes.add(route);
    await replayOn(lane, scenario, context.routes);
  };
  const recorded = await recordedTraffic(lane, suites, context);
  for (const scenario of recorded.scenarios) await send(scenario);
  const described = describedRequests(wanted.tree.root, context.config);
  const headers = authorizationOf(suites);
  for (const path of described.paths) {
    for (const scenario of givenScenarios([{ method: 'GET', path, headers }])) await send(scenario);
  }
  if (routes.size === 0) {
    for (const scenario of givenScenarios([{ method: 'GET', path: '/' }])) await send(scenario);
  }
  return { routes: [...routes].sort(), unsent: [...recorded.unsent, ...described.unsent] };
}

async function runAll(
  lane: Lane,
  { tree, suites }: { readonly tree: VersionTree; readonly suites: readonly string[] | undefined },
  context: VerifyContext,
): Promise<Scenario[]> {
  const scenarios: Scenario[] = [];
  for (const [name, suite] of namedSuites(context.config, suites)) {
    context.onProgress?.(`checking that services pass keys on: suite ${name}`);
    await context.routes.take(lane.lane);
    await runSuite(name, suite, await targetOf(lane, tree, context));
    scenarios.push(scenarioOf(name, (await context.routes.taken(lane.lane)) ?? []));
  }
  return scenarios;
}

async function recordedTraffic(lane: Lane, suites: readonly Scenario[], context: VerifyContext) {
  const recorded = await context.recorded?.();
  if (!recorded) return { scenarios: [], unsent: [] };
  return chooseReplay(recorded, { suites, isSafe: safetyOf(context.config, [lane]) });
}

function routesOf({ requests }: Scenario): string[] {
  return requests.map(({ method, path }) => routeName(method, path));
}

/** By which a suite was let in. */
function authorizationOf(suites: readonly Scenario[]): Record<string, string> {
  const accepted = suites.flatMap(({ requests }) => requests).filter(({ status }) => status < 400);
  const lines = accepted.flatMap(({ headers }) => headers);
  const found = lines.find(([name]) => name === 'authorization');
  return found ? { authorization: found[1] } : {};
}
