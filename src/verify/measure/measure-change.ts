import type { RandomBytes } from '../../kernel/index.ts';
import { type Host, type Lanes, type Routes, SerialQueue } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Confirmed } from '../compare/confirmation.ts';
import { Disputed } from '../history/disputed.ts';
import type { Dispute } from '../history/disputes.ts';
import { type LoadResult, noLoad, putLoad } from '../load/index.ts';
import type { Round } from '../observe/round.ts';
import { tellUntaken } from '../observe/unmeasured-requests.ts';
import {
  changedServices,
  type LanePair,
  type PairRequest,
  withLanePair,
} from '../pipeline/lane-pair.ts';
import type { Profile } from '../pipeline/profile.ts';
import {
  type GivenRequest,
  givenScenarios,
  isGiven,
  onlyRecorded,
  safetyOf,
  tellUnsafe,
} from '../traffic/index.ts';
import type { Measurement } from './index.ts';
import { measureWithLogs } from './measure-with-logs.ts';

export interface MeasuringDeps {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly config: Config;
  readonly random?: RandomBytes;
  readonly tell?: (stage: string) => void;
  readonly disputes?: readonly Dispute[];
  readonly signal?: AbortSignal;
}

export interface Measurable {
  readonly request: PairRequest & {
    readonly profile: Profile;
    readonly traffic?: readonly GivenRequest[] | undefined;
  };
  readonly pair: LanePair;
  readonly rounds: readonly Round[];
  readonly confirmed: Confirmed;
}

/** With the hops of requests that show what was found. */
type Measured = Measurement &
  Pick<LoadResult, 'shown'> & {
    /** The ids of what is disputed of it. */
    readonly aside: readonly string[];
  };

/** All of it falls on this one machine: two at once would measure each other. */
const loads = new SerialQueue();

/** What the suites sent to the control, sent again to both versions in pairs, and measured. */
export async function measureChange(
  { request, pair, rounds, confirmed }: Measurable,
  deps: MeasuringDeps,
): Promise<Measured> {
  const reason = whyNot(confirmed);
  if (reason !== null) return nothing([reason]);
  const given = givenScenarios(request.traffic);
  const { scenarios: sent = [], replayed = [], untaken = [] } = rounds[0]?.control ?? {};
  const recorded = replayed.filter((one) => !isGiven(one));
  const scenarios = [...sent, ...onlyRecorded(recorded, sent), ...given];
  const seen = rounds.flatMap(({ control, candidate }) => [...control.hops, ...candidate.hops]);
  const isSafe = safetyOf(deps.config, [pair.control, pair.candidate], seen);
  const unsafe = tellUnsafe(scenarios, isSafe, { config: deps.config, seen });
  const left = tellUntaken(untaken, request.profile);
  const remarks = [...left.remarks, ...(unsafe === null ? [] : [unsafe])];
  if (!scenarios.some(({ requests }) => requests.some(isSafe))) {
    return nothing(remarks, left.undecided);
  }
  const { patch, base, services } = request;
  const plan = {
    profile: request.profile,
    lanes: pair,
    isWarm: true,
    services: changedServices(pair.candidate),
    ingress: pair.candidate.ingress ?? deps.config.ingress ?? '',
    scenarios,
    isSafe,
  };
  deps.tell?.('measuring pairs of requests');
  const measured = await measureWithLogs(plan, { patch, base, services }, deps);
  const disputed = new Disputed(deps.disputes ?? []);
  const isLoaded = plan.profile === 'full' && disputed.without(measured.differences).length === 0;
  const withFreshLanes = <Result>(work: (lanes: LanePair) => Promise<Result>): Promise<Result> =>
    withLanePair({ patch, base, services }, deps, work);
  const put = () => putLoad(plan, { ...deps, withFreshLanes });
  const loaded = isLoaded ? await loads.run(put) : noLoad;
  const differences = [...measured.differences, ...loaded.differences];
  return {
    ...measured,
    differences: disputed.without(differences),
    aside: disputed.among(differences),
    remarks: [...remarks, ...measured.remarks, ...loaded.remarks],
    undecided: [...left.undecided, ...measured.undecided, ...loaded.undecided],
    shown: loaded.shown,
  };
}

/** A change that fails already costs nobody the time to measure it. */
function whyNot({ control, candidate, differences }: Confirmed): string | null {
  const isWell = [...control, ...candidate].every(({ result }) => result === 'passed');
  return isWell && differences.length === 0 ? null : 'not measured: it fails without that';
}

function nothing(remarks: readonly string[], undecided: readonly string[] = []): Measured {
  return { signals: [], differences: [], undecided, remarks, shown: [], aside: [] };
}
