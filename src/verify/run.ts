import type { Actor, MakeIdentifier, RandomBytes } from '../kernel/index.ts';
import {
  type Hop,
  type Host,
  type Lane,
  type Lanes,
  type OpenLane,
  proveReach,
  type Routes,
  type Trees,
} from '../lanes/index.ts';
import type { Config } from '../system/index.ts';
import { type Chosen, chooseSuites, dependsOnChange, isMeantInFull } from './chosen-suites.ts';
import { confirm, isWorthReplay } from './confirmation.ts';
import { pointers } from './pointers.ts';
import type { Profile } from './profile.ts';
import { type Arms, type Round, runRound } from './rounds.ts';
import { type SubmittedTest, withTest } from './submitted-test.ts';
import { runSuite, type SuiteRun } from './suite.ts';
import { targetOf } from './suite-target.ts';
import { judge, type Verdict } from './verdict.ts';
import { withLogs } from './verdict-logs.ts';

export interface RunDeps {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly trees: Trees;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
  /** Draws which version goes first; the system's if left out. */
  readonly random?: RandomBytes;
}

export interface VerifyRequest {
  readonly patch: string;
  readonly base: string;
  /** Which suites; all of them if left out. */
  readonly suites?: readonly string[] | undefined;
  /** A test that fails on the baseline and must hold on the change. */
  readonly test?: SubmittedTest | undefined;
  /** `quick` if left out. */
  readonly profile?: Profile | undefined;
}

/** Lanes that a run needs are its own doing, whoever asked for the run. */
export const runner: Actor = 'surety:verify';

/** The change in a lane, the baseline beside it, the same suites on both, one verdict. */
export async function runVerification(
  request: VerifyRequest,
  deps: RunDeps,
): Promise<Verdict & { services: readonly string[] }> {
  const { patch, base } = request;
  const opened: Lane[] = [];
  try {
    // The candidate first: a change that can't be taken costs no control lane.
    const wanted = { patch, base, transient: true, branchesMigrated: true };
    const candidate = await deps.lanes.open(runner, wanted);
    opened.push(candidate);
    const control = await deps.lanes.open(runner, {
      base,
      transient: true,
      ...dataLike(candidate),
    });
    opened.push(control);
    const services = changedServices(candidate);
    return { ...(await compare(control, candidate, request, deps)), services };
  } finally {
    for (const { lane } of opened) await deps.lanes.close(runner, lane);
  }
}

/** Data of its own is compared with data of its own, and shared with the same services. */
function dataLike({ candidates, data }: Lane): Pick<OpenLane, 'services' | 'data'> {
  const own = data.filter(({ mode }) => mode !== 'shared');
  if (own.length === 0) return {};
  return {
    services: candidates.map(({ service }) => service),
    data: Object.fromEntries(own.map(({ store, mode }) => [store, mode])),
  };
}

function changedServices({ candidates }: Lane): string[] {
  return candidates.filter(({ version }) => version === 'changed').map(({ service }) => service);
}

async function compare(
  control: Lane,
  candidate: Lane,
  request: VerifyRequest,
  deps: RunDeps,
): Promise<Verdict> {
  // Suites are taken from the base: a change can't weaken the checks that it is judged by.
  const { root } = await deps.trees.open(request.base);
  const { suites, remarks, profile } = await chosenFor(request, deps);
  const changed = changedServices(candidate);
  const rounds = await runRounds({ control, candidate, root, suites }, changed, deps);
  const confirmed = confirm(rounds, changed);
  // After the rounds: it has no counterpart on the control, and its calls are compared with none.
  const test = request.test && (await runTest(request.test, candidate, request.base, deps));
  const runs = test ? [...confirmed.candidate, test] : confirmed.candidate;
  const hops = await servedHops(candidate, rounds, deps);
  const verdict = judge({
    ...confirmed,
    profile,
    signals: [],
    remarks,
    candidate: runs,
    hops,
    changed,
    reach: proveReach(candidate, hops, deps.config),
    ...(await pointers(request, deps)),
  });
  return withLogs(verdict, deps.host);
}

/** Which suites, in which profile; what the change is matters only where surety.yaml says so. */
async function chosenFor(
  { patch, base, suites: wanted, profile }: VerifyRequest,
  { config, lanes }: RunDeps,
): Promise<Chosen & { readonly profile: Profile }> {
  const change = dependsOnChange(config)
    ? await lanes.factsOf({ patch, base })
    : { files: [], services: [], kinds: [] };
  const chosen = profile ?? (isMeantInFull(config, change) ? 'full' : 'quick');
  return { ...chooseSuites(config, { wanted, profile: chosen, change }), profile: chosen };
}

/** Of suites and the test: that we looked at the candidate ourselves does not prove its reach. */
async function servedHops(
  { lane }: Lane,
  rounds: readonly Round[],
  { routes }: RunDeps,
): Promise<Hop[]> {
  const last = rounds.at(-1)?.candidate.lastHop ?? 0;
  const later = (await routes.hops(lane)).filter(({ n }) => n > last);
  return [...rounds.flatMap(({ candidate }) => candidate.hops), ...later];
}

const roundsMax = 3;

/** One where all is well; otherwise again, until what was seen was seen twice, or is chance. */
async function runRounds(
  arms: Arms,
  changed: readonly string[],
  deps: RunDeps,
): Promise<readonly Round[]> {
  const rounds = [await runRound(arms, [], deps)];
  while (rounds.length < roundsMax && isWorthReplay(rounds, changed)) {
    rounds.push(await runRound(arms, rounds, deps));
  }
  return rounds;
}

/** Every suite of a version, on one lane. */
export async function runSuites(lane: Lane, base: string, deps: RunDeps): Promise<SuiteRun[]> {
  const { root } = await deps.trees.open(base);
  const runs: SuiteRun[] = [];
  for (const [name, suite] of Object.entries(deps.config.suites)) {
    runs.push(await runSuite(name, suite, await targetOf(lane, root, deps)));
  }
  return runs;
}

/** On the lane of a change, or on that of the baseline. */
export async function runTest(
  test: SubmittedTest,
  lane: Lane,
  base: string,
  deps: RunDeps,
): Promise<SuiteRun> {
  return withTest(test, base, deps, async (suite, root) =>
    runSuite(test.path, suite, await targetOf(lane, root, deps)),
  );
}
