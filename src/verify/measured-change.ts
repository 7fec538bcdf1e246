import type { RandomBytes } from '../kernel/index.ts';
import type { Host, Lanes, Routes } from '../lanes/index.ts';
import type { Config } from '../system/index.ts';
import type { Confirmed } from './confirmation.ts';
import { changedServices, type LanePair, type PairRequest, withLanePair } from './lane-pair.ts';
import { type Measurement, measure } from './measure/index.ts';
import type { Profile } from './profile.ts';
import type { Round } from './rounds.ts';
import { safetyOf, tellUnsafe } from './traffic/index.ts';

export interface MeasuringDeps {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly config: Config;
  readonly random?: RandomBytes;
}

export interface Measurable {
  readonly request: PairRequest & { readonly profile: Profile };
  readonly pair: LanePair;
  readonly rounds: readonly Round[];
  readonly confirmed: Confirmed;
}

/** What the suites sent to the control, sent again to both versions in pairs, and measured. */
export async function measureChange(
  { request, pair, rounds, confirmed }: Measurable,
  deps: MeasuringDeps,
): Promise<Measurement> {
  const reason = whyNot(confirmed);
  if (reason !== null) return nothing([reason]);
  const scenarios = rounds[0]?.control.scenarios ?? [];
  const isSafe = safetyOf(deps.config, [pair.control, pair.candidate]);
  const unsafe = tellUnsafe(scenarios, isSafe);
  const remarks = unsafe === null ? [] : [unsafe];
  if (!scenarios.some(({ requests }) => requests.some(isSafe))) return nothing(remarks);
  const { patch, base } = request;
  const plan = {
    profile: request.profile,
    lanes: pair,
    isWarm: true,
    services: changedServices(pair.candidate),
    ingress: pair.candidate.ingress ?? deps.config.ingress ?? '',
    scenarios,
    isSafe,
  };
  const measured = await measure(plan, {
    ...deps,
    withFreshLanes: (work) => withLanePair({ patch, base }, deps, work),
  });
  return { ...measured, remarks: [...remarks, ...measured.remarks] };
}

/** A change that fails already costs nobody the time to measure it. */
function whyNot({ control, candidate, differences }: Confirmed): string | null {
  const isWell = [...control, ...candidate].every(({ result }) => result === 'passed');
  return isWell && differences.length === 0 ? null : 'not measured: it fails without that';
}

function nothing(remarks: readonly string[]): Measurement {
  return { signals: [], differences: [], undecided: [], remarks };
}
