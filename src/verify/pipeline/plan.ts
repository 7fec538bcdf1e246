import type { Profile } from '../api-schema.ts';
import { chooseExtraTraffic } from '../observe/extra-traffic.ts';
import type { RoundPlan } from '../observe/round.ts';
import { routeLiterals } from '../observe/route-literals.ts';
import { findEditedSuites } from '../suites/edited-suites.ts';
import { chooseSuites, dependsOnChange, profileFor } from '../suites/suite-selection.ts';
import type { VerifyContext } from './context.ts';
import { changedServices, type LanePair } from './lane-pair.ts';
import { diffOf, factsOf, type VerifyRequest } from './request.ts';

/** What a verification sends to both versions, and how thoroughly it measures. */
export interface VerificationPlan extends RoundPlan {
  /** Suites that judge the change as it edits them. */
  readonly edited: readonly string[];
  readonly base: string;
  readonly profile: Profile;
  readonly changed: readonly string[];
  readonly remarks: readonly string[];
}

export async function planVerification(
  pair: LanePair,
  request: VerifyRequest,
  context: VerifyContext,
): Promise<VerificationPlan> {
  const { config, lanes, trees } = context;
  const { base, suites: wanted, traffic: given } = request;
  // Suites come from the base: a change can't weaken the checks that judge it.
  const tree = await trees.open(base);
  const change = dependsOnChange(config)
    ? await factsOf(request, lanes)
    : { files: [], services: [], kinds: [] };
  const profile = profileFor(config, change, request.profile);
  const recorded = request.recorded === false ? undefined : await context.recorded?.();
  const chosen = chooseSuites(config, { wanted, profile, change });
  const edited = await findEditedSuites(request, context);
  return {
    ...pair,
    ...chosen,
    remarks: [...edited.remarks, ...chosen.remarks],
    edited: edited.names.filter((name) => chosen.suites.some(([one]) => one === name)),
    base,
    tree,
    profile,
    changed: changedServices(pair.candidate),
    literals: routeLiterals(await diffOf(request, lanes)),
    chooseTraffic: (sent) =>
      chooseExtraTraffic({ recorded, given }, sent, { config, lanes: Object.values(pair) }),
  };
}
