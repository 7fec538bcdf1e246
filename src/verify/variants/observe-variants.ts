import type { Hop, Lane } from '../../lanes/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { type Confirmation, confirmRounds, needsAnotherRound } from '../compare/confirmation.ts';
import { type Difference, hopName } from '../compare/index.ts';
import { verifyLimits } from '../limits.ts';
import { laneLogs, markLogs, readSince } from '../observe/lane-logs.ts';
import type { Round, RoundSide } from '../observe/round.ts';
import { watchWrites } from '../observe/written-rows.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import { chooseVariants, confirmable, type VariantInput } from './choose-variants.ts';
import { foldVariants } from './fold-variants.ts';
import { isVariantHop, sendVariants } from './send-variants.ts';
import type { Variant } from './variant.ts';

/** What variants of known requests showed of both versions. */
export interface VariantObservations
  extends Pick<Confirmation, 'differences' | 'notices' | 'doubts'> {
  /** Of the candidate. */
  readonly hops: readonly Hop[];
  readonly remarks: readonly string[];
}

export const noVariants: VariantObservations = {
  differences: [],
  notices: [],
  doubts: [],
  hops: [],
  remarks: [],
};

/** Sends requests that are made for the change to both versions, and confirms what differs. */
export async function observeVariants(
  input: VariantInput & { readonly plan: VerificationPlan },
  context: VerifyContext,
): Promise<VariantObservations> {
  const { plan } = input;
  const variants = chooseVariants(input, context.config);
  if (variants.length === 0) return noVariants;
  context.onProgress?.(`sending ${variants.length} requests made for the change`);
  const first = await runVariants(variants, plan, context);
  const screened = new ComparedRounds(plan.changed, context.disputes);
  await screened.add(first);
  const suspects = suspectsOf(variants, first, screened);
  const remarks = [`requests made for the change: ${variants.length} sent`];
  const { hops } = first.candidate;
  if (suspects.length === 0) return { ...noVariants, hops, remarks };
  const compared = await confirmVariants(suspects, plan, context);
  const { differences, notices, doubts } = confirmRounds(compared);
  const again = compared.rounds.flatMap((round) => [
    ...round.control.hops,
    ...round.candidate.hops,
  ]);
  const byName = new Map(again.filter(isVariantHop).map((hop) => [hopName(hop), hop.sentAs]));
  const fold = (some: readonly Difference[]): Difference[] =>
    foldVariants(some, byName, context.config);
  const shown = compared.rounds.at(-1)?.candidate.hops ?? [];
  return {
    differences: fold(differences),
    notices: fold(notices),
    doubts,
    hops: [...hops, ...shown],
    remarks,
  };
}

/** What the suites show first: variants are further from what clients do. */
export function withVariants(
  confirmation: Confirmation,
  { differences, notices, doubts }: VariantObservations,
): Confirmation {
  return {
    ...confirmation,
    differences: [...confirmation.differences, ...differences],
    notices: [...confirmation.notices, ...notices],
    doubts: [...confirmation.doubts, ...doubts],
  };
}

/** The variants that differ; all of them, where it is unknown which one does. */
function suspectsOf(
  variants: readonly Variant[],
  { control, candidate }: Round,
  screened: ComparedRounds,
): readonly Variant[] {
  const found = screened.differences().flat();
  if (found.some(({ hop }) => hop === null)) return variants;
  const names = new Set(found.map(({ hop }) => hop));
  const hops = [...control.hops, ...candidate.hops].filter(isVariantHop);
  const suspected = new Set(
    hops.filter((hop) => names.has(hopName(hop))).map(({ sentAs }) => sentAs),
  );
  return variants.filter((variant) => suspected.has(variant));
}

/** Only what differed is sent again, by itself, until each difference is confirmed or chance. */
async function confirmVariants(
  suspects: readonly Variant[],
  plan: VerificationPlan,
  context: VerifyContext,
): Promise<ComparedRounds> {
  const compared = new ComparedRounds(plan.changed, context.disputes);
  const chosen = confirmable(suspects);
  do await compared.add(await runVariants(chosen, plan, context));
  while (needsAnotherRound(compared));
  return compared;
}

/** The same variants on both versions at once, so that other load affects both alike. */
async function runVariants(
  variants: readonly Variant[],
  { control, candidate }: LanePair,
  context: VerifyContext,
): Promise<Round> {
  const signal = AbortSignal.timeout(verifyLimits.variantsMsMax);
  const open = (lane: Lane): Promise<() => Promise<RoundSide>> =>
    startSide(variants, { lane, changed: candidate, signal }, context);
  const sides = await Promise.all([open(control), open(candidate)]);
  const [first, second] = await Promise.all(sides.map((run) => run()));
  return { control: first as RoundSide, candidate: second as RoundSide };
}

interface SideRun {
  readonly lane: Lane;
  readonly changed: Lane;
  readonly signal: AbortSignal;
}

async function startSide(
  variants: readonly Variant[],
  { lane, changed, signal }: SideRun,
  context: VerifyContext,
): Promise<() => Promise<RoundSide>> {
  const { host, config, routes } = context;
  const logs = laneLogs(lane, Object.keys(config.services), changed);
  const marks = await markLogs(logs, host);
  const written = await watchWrites(lane, changed, context);
  return async () => {
    const hops = await sendVariants(variants, lane, { routes, signal });
    const { lines } = await readSince(marks, logs, hops, host);
    return { runs: [], hops, logs: lines, lastHop: 0, ...(await written()) };
  };
}
