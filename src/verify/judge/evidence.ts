import {
  type Hop,
  type Host,
  type Lane,
  proveReach,
  type Reach,
  witnessed,
} from '../../lanes/index.ts';
import type { UnexecutedRule } from '../../system/index.ts';
import type { CopiedCaller, Profile, ServiceSignal } from '../api-schema.ts';
import { failsOnBaseline, testsOf, whyTestProvesNothing } from '../compare/confirm.ts';
import { type Confirmation, isFailing } from '../compare/confirmation.ts';
import type { ChangeCoverage } from '../line-coverage/api-schema.ts';
import type { ChangeMeasurement } from '../measure/measure-change.ts';
import type { RoundObservations } from '../observe/observe-rounds.ts';
import type { UnsafeCallers } from '../pipeline/caller-copies.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import type { VerifyRequest } from '../pipeline/request.ts';
import type { ExtraTraffic } from '../traffic/index.ts';
import type { VariantObservations } from '../variants/observe-variants.ts';
import { type Pointers, pointersFor } from './pointers.ts';

/** Everything that a verdict is based on. */
export interface Evidence extends Confirmation, Pointers {
  readonly profile: Profile;
  readonly signals: readonly ServiceSignal[];
  /** What else is worth knowing, in words. */
  readonly remarks: readonly string[];
  /** Why measurements do not show that the change is fine. */
  readonly undecided: readonly string[];
  /** Null if nothing is changed. */
  readonly coverage?: ChangeCoverage | null;
  /** Whether a test of the change fails without it. */
  readonly isTested?: boolean;
  /** What code that no request ran makes of a pass; a notice if left out. */
  readonly unexecuted?: UnexecutedRule | undefined;
  /** What it makes of a pass if nothing tells the change from the baseline; the same. */
  readonly undistinguished?: UnexecutedRule | undefined;
  readonly reach: Reach;
  /** What was sent in addition to the requests of the suites. */
  readonly extraTraffic?: Pick<ExtraTraffic, 'scenarios' | 'unsent'>;
  /** Unchanged callers that ran as copies in both lanes. */
  readonly callers?: readonly CopiedCaller[];
  readonly hops: readonly Hop[];
  readonly changed: readonly string[];
  /** The logs in which the services may have written about these requests. */
  readonly logs: ReadonlySet<string>;
}

interface StageResults {
  readonly plan: VerificationPlan;
  readonly pair: LanePair;
  readonly request: VerifyRequest;
  readonly observations: RoundObservations;
  readonly confirmation: Confirmation;
  readonly measurement: ChangeMeasurement;
  readonly coverage: ChangeCoverage | null;
  readonly unsafe: UnsafeCallers;
  readonly variants: VariantObservations;
}

export async function collectEvidence(
  stages: StageResults,
  context: VerifyContext,
): Promise<Evidence> {
  const { plan, pair, request, observations, confirmation, measurement } = stages;
  const { coverage, unsafe, variants } = stages;
  const { config } = context;
  const { profile, changed } = plan;
  const { hops, test, compared } = observations;
  const { extraTraffic } = compared.rounds[0] ?? {};
  const shown = [...hops, ...variants.hops, ...measurement.shown];
  const candidates = [pair.control, pair.candidate].flatMap((lane) => lane.candidates);
  return {
    ...confirmation,
    candidate: [...confirmation.candidate, ...(test ? [test.candidate] : [])],
    differences: [...confirmation.differences, ...measurement.differences.filter(isFailing)],
    notices: [...confirmation.notices, ...measurement.differences.filter((one) => !isFailing(one))],
    signals: measurement.signals,
    undecided: [...unsafe.uncopied, ...whyTestProvesNothing(test), ...measurement.undecided],
    callers: await copiedCallers(pair.candidate, context.host),
    remarks: [
      ...plan.remarks,
      ...(extraTraffic?.remarks ?? []),
      ...observations.remarks,
      ...variants.remarks,
      ...measurement.remarks,
    ],
    ...(extraTraffic ? { extraTraffic } : {}),
    coverage,
    isTested: testsOf(observations).some(failsOnBaseline),
    unexecuted: context.unexecuted,
    undistinguished: context.undistinguished,
    profile,
    changed,
    reach: proveReach(pair.candidate, hops, config),
    hops: witnessed(shown, pair.candidate, config),
    logs: new Set([...candidates.map(({ name }) => name), ...shown.map(({ to }) => to)]),
    ...(await pointersFor({ ...request, profile }, context)),
  };
}

async function copiedCallers(
  { candidates }: Lane,
  host: Pick<Host, 'states'>,
): Promise<CopiedCaller[]> {
  const callers = candidates.filter(({ version }) => version === 'caller');
  if (callers.length === 0) return [];
  const states = await host.states();
  return callers.map(({ service, name, why = '', startMs = 0 }) => {
    const memoryBytes = states.get(name)?.memoryBytes ?? null;
    return { service, why, startMs, memoryBytes };
  });
}
