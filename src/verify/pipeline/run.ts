import type { MakeIdentifier, RandomBytes } from '../../kernel/index.ts';
import {
  type Hop,
  type Host,
  type Lane,
  type Lanes,
  proveReach,
  type Routes,
  type Trees,
  witnessed,
} from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Judged } from '../compare/compare-rounds.ts';
import { compareAhead, confirm, isWorthReplay } from '../compare/confirmation.ts';
import type { LogLine } from '../compare/index.ts';
import { whyUnshown, withMeantValues } from '../compare/intended-values.ts';
import { Disputed } from '../history/disputed.ts';
import type { Dispute } from '../history/disputes.ts';
import { setAside } from '../history/set-aside.ts';
import { judgeSameMeaning } from '../judge/equivalent-configuration.ts';
import { findDeaths, findEndedLanes, type Unstartable } from '../judge/failed-start.ts';
import { pointers } from '../judge/pointers.ts';
import { judgeUnstartable } from '../judge/unstartable.ts';
import { judge, type Verdict } from '../judge/verdict.ts';
import { heardBy, withLogs } from '../judge/verdict-logs.ts';
import { measureChange } from '../measure/measure-change.ts';
import { tellDropped } from '../observe/dropped-records.ts';
import { replayOnce } from '../observe/replay.ts';
import { withAskedFaults } from '../observe/requested-faults.ts';
import { type Arms, type Round, runRound } from '../observe/round.ts';
import { routeLiterals } from '../observe/route-literals.ts';
import { runSuite, type SuiteRun } from '../suites/run-suite.ts';
import { type SubmittedTest, withTest } from '../suites/submitted-test.ts';
import {
  type Chosen,
  chooseSuites,
  dependsOnChange,
  profileFor,
} from '../suites/suite-selection.ts';
import { targetOf } from '../suites/suite-target.ts';
import type { GivenRequest, Recorded } from '../traffic/index.ts';
import { changedServices, type LanePair, withLanePair } from './lane-pair.ts';
import type { Profile } from './profile.ts';
import { diffOf, factsOf, pairOf } from './subject.ts';

export interface RunDeps {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly trees: Trees;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
  /** Draws which version goes first; the system's if left out. */
  readonly random?: RandomBytes;
  /** Aborts when the time is up: then suites are ended, and what is known so far is told. */
  readonly signal?: AbortSignal;
  /** Told what is being done just now. */
  readonly tell?: (stage: string) => void;
  /** What fails nothing, on somebody's word. */
  readonly disputes?: readonly Dispute[];
  /** What was recorded of the baseline; left out where that is not allowed. */
  readonly recorded?: () => Promise<Recorded>;
  /** Told what the changed services wrote, round by round. */
  readonly onLogs?: (lines: readonly LogLine[]) => unknown;
}

export interface VerifyRequest {
  readonly patch: string;
  readonly base: string;
  /** Which suites; all of them if left out. */
  readonly suites?: readonly string[] | undefined;
  /** A test that fails on the baseline and must hold on the change. */
  readonly test?: SubmittedTest | undefined;
  /** Requests that are compared and measured besides those of the suites. */
  readonly traffic?: readonly GivenRequest[] | undefined;
  /** False: without what was recorded of the baseline. */
  readonly recorded?: boolean | undefined;
  /** `quick` if left out. */
  readonly profile?: Profile | undefined;
  /** Whether each hunk is left out once, to see what needs it. */
  readonly unnecessary?: boolean | undefined;
  /** Nothing is changed: these are started anew, and whatever is found then is chance. */
  readonly restarted?: readonly string[] | undefined;
}

/** The change in a lane, the baseline beside it, the same suites on both, one verdict. */
export async function runVerification(
  request: VerifyRequest,
  deps: RunDeps,
): Promise<Verdict & { services: readonly string[] }> {
  const work = async (pair: LanePair) => ({
    ...(await compare(pair, request, deps)),
    services: changedServices(pair.candidate),
  });
  const otherwise = (failed: Unstartable) => judgeUnstartable(failed, request, deps);
  return withLanePair(pairOf(request), deps, work, otherwise).catch((error) =>
    judgeSameMeaning(error, request, deps.lanes),
  );
}

async function compare(pair: LanePair, request: VerifyRequest, deps: RunDeps): Promise<Verdict> {
  const { candidate } = pair;
  // Suites are taken from the base: a change can't weaken the checks that it is judged by.
  const { root } = await deps.trees.open(request.base);
  const { suites, remarks, profile } = await chosenFor(request, deps);
  const changed = changedServices(candidate);
  const literals = routeLiterals(await diffOf(request, deps.lanes));
  const recorded = request.recorded === false ? undefined : await deps.recorded?.();
  const more = { recorded, given: request.traffic };
  const replay = replayOnce(more, [pair.control, candidate], deps.config);
  const disputed = new Disputed(deps.disputes ?? []);
  const arms = { ...pair, root, suites, literals, replay };
  const rounds = await runRounds(arms, { changed, disputed }, deps);
  // Chosen by now: whatever is said of what suites sent no longer matters.
  const besides = replay({ scenarios: [], hops: [] });
  const deaths = await findDeaths(pair, deps.host);
  const ended = await findEndedLanes(pair, deps.host);
  // After the rounds: its calls are compared with none.
  const test = request.test && (await runTwice(request.test, pair, request.base, deps));
  const { hops, later } = await servedHops(candidate, rounds, deps);
  const shown = test && { ...test, hops: later };
  const dropped = tellDropped(rounds);
  const seen = withMeantValues(confirm(rounds, changed, disputed), shown);
  const confirmed = {
    ...seen,
    differences: [...disputed.without(deaths), ...seen.differences],
    doubts: [...ended, ...seen.doubts, ...dropped.doubts],
  };
  const runs = [...confirmed.candidate, ...(test ? [disputed.held(test.candidate)] : [])];
  const measured = await measureChange(
    { request: { ...pairOf(request), traffic: request.traffic, profile }, pair, rounds, confirmed },
    deps,
  );
  const verdict = judge({
    ...confirmed,
    ...measured,
    differences: [...confirmed.differences, ...measured.differences],
    undecided: [...whyUnshown(shown), ...measured.undecided],
    profile,
    besides,
    remarks: [...remarks, ...besides.remarks, ...dropped.remarks, ...measured.remarks],
    candidate: runs,
    hops: witnessed([...hops, ...measured.shown], candidate, deps.config),
    changed,
    reach: proveReach(candidate, hops, deps.config),
    ...(await pointers({ ...request, profile }, deps)),
  });
  const aside = [
    ...disputed.among(deaths, test && [test.candidate]),
    ...(seen.aside ?? []),
    ...measured.aside,
  ];
  const heard = heardBy([pair.control, candidate], [...hops, ...measured.shown]);
  return setAside(await withLogs(verdict, heard, deps.host), aside, disputed.disputes);
}

/** Which suites, in which profile; what the change is matters only where surety.yaml says so. */
async function chosenFor(
  request: VerifyRequest,
  { config, lanes }: RunDeps,
): Promise<Chosen & { readonly profile: Profile }> {
  const { suites: wanted, profile } = request;
  const change = dependsOnChange(config)
    ? await factsOf(request, lanes)
    : { files: [], services: [], kinds: [] };
  const chosen = profileFor(config, change, profile);
  return { ...chooseSuites(config, { wanted, profile: chosen, change }), profile: chosen };
}

/** Of suites and the test: that we looked at the candidate ourselves does not prove its reach. */
async function servedHops(
  { lane }: Lane,
  rounds: readonly Round[],
  { routes }: RunDeps,
): Promise<{ readonly hops: readonly Hop[]; readonly later: readonly Hop[] }> {
  const last = rounds.at(-1)?.candidate.lastHop ?? 0;
  const later = withAskedFaults((await routes.hops(lane)).filter(({ n }) => n > last));
  return { hops: [...rounds.flatMap(({ candidate }) => candidate.hops), ...later], later };
}

const roundsMax = 5;

/** One where all is well; otherwise again, until what was seen was seen twice, or is chance. */
async function runRounds(arms: Arms, judged: Judged, deps: RunDeps): Promise<readonly Round[]> {
  const rounds = [await runRound(arms, [], deps)];
  await compareAhead(rounds, judged);
  while (rounds.length < roundsMax && isWorthReplay(rounds, judged.changed, judged.disputed)) {
    rounds.push(await runRound(arms, rounds, deps));
    await compareAhead(rounds, judged);
  }
  for (const { candidate } of rounds) deps.onLogs?.(candidate.logs ?? []);
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

/** On the version before, where it has to fail, and on the change. */
async function runTwice(
  test: SubmittedTest,
  { control, candidate }: LanePair,
  base: string,
  deps: RunDeps,
): Promise<{ readonly control: SuiteRun; readonly candidate: SuiteRun }> {
  return {
    control: await runTest(test, control, base, deps),
    candidate: await runTest(test, candidate, base, deps),
  };
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
