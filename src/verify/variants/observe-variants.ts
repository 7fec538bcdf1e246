import { toFault } from '../../kernel/index.ts';
import { type CoverageRecords, type Hop, type Lane, peekRecords } from '../../lanes/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { intendedBy, testsOf } from '../compare/confirm.ts';
import {
  type Confirmation,
  confirmRounds,
  isFailing,
  needsAnotherRound,
} from '../compare/confirmation.ts';
import { type Difference, hopName } from '../compare/index.ts';
import { findDeaths } from '../judge/failed-start.ts';
import { markDisputed } from '../judge/finding-id.ts';
import { verifyLimits } from '../limits.ts';
import type { VersionRecords } from '../line-coverage/change-coverage.ts';
import { laneLogs, markLogs, readSince } from '../observe/lane-logs.ts';
import type { Round, RoundSide } from '../observe/round.ts';
import { watchWrites } from '../observe/written-rows.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { type LanePair, withLanePair } from '../pipeline/lane-pair.ts';
import type { VerificationPlan } from '../pipeline/plan.ts';
import { pairOf, type VerifyRequest } from '../pipeline/request.ts';
import { neededData, type VariantInput, variantMaker } from './choose-variants.ts';
import { foldVariants } from './fold-variants.ts';
import { processNoise } from './process-noise.ts';
import { ReachedLines } from './reached-lines.ts';
import { isVariantHop, sendVariants } from './send-variants.ts';
import { confirmable, type Suspect, suspectsOf } from './suspects.ts';
import type { Variant } from './variant.ts';

/** What variants of known requests showed of both versions. */
export interface VariantObservations
  extends Pick<Confirmation, 'differences' | 'notices' | 'doubts'> {
  /** Of the candidate. */
  readonly hops: readonly Hop[];
  readonly remarks: readonly string[];
  /** The lines that ran in lanes that were opened for this. */
  readonly records?: VersionRecords;
}

export const noVariants: VariantObservations = {
  differences: [],
  notices: [],
  doubts: [],
  hops: [],
  remarks: [],
};

interface ObservedChange extends Omit<VariantInput, 'traces'> {
  readonly plan: VerificationPlan;
  readonly request: VerifyRequest;
  /** What usual requests show, and does not fail the change. */
  readonly known: readonly Difference[];
}

interface PairInput extends VariantInput, Pick<ObservedChange, 'known'> {
  readonly plan: VerificationPlan;
  readonly reached: ReachedLines;
}

/**
 * Sends requests that are made for the change to both versions, and confirms what differs. Effects
 * that are not safe on shared data are sent to further lanes with data of their own.
 */
export async function observeVariants(
  input: ObservedChange,
  context: VerifyContext,
): Promise<VariantObservations> {
  const { plan, request, code } = input;
  const reached = new ReachedLines(context.trees);
  const pairInput = { ...input, reached, traces: reached.newTraces(plan) };
  const own = neededData(input, context.config);
  if (own === null || context.signal?.aborted) return sendToPair(pairInput, context);
  const callerCopies = plan.candidate.candidates
    .filter(({ version, service }) => version === 'caller' && !own.services.includes(service))
    .map(({ service, why = '' }) => ({ service, why }));
  const wanted = { ...pairOf(request), ...own, watched: code?.watched, callerCopies };
  context.onProgress?.('opening lanes with their own data');
  try {
    return await withLanePair(wanted, context, async (pair) => {
      const observed = await sendToPair({ ...pairInput, plan: { ...plan, ...pair } }, context);
      const recordsOf = (lane: Lane): CoverageRecords => peekRecords(lane, context.trees);
      const records = { control: recordsOf(pair.control), candidate: recordsOf(pair.candidate) };
      return { ...observed, records };
    });
  } catch (error) {
    const observed = await sendToPair(pairInput, context);
    const why = `no lanes with their own data: ${toFault(error).message}`;
    return { ...observed, remarks: [...observed.remarks, why] };
  }
}

async function sendToPair(input: PairInput, context: VerifyContext): Promise<VariantObservations> {
  const { plan, reached } = input;
  const maker = variantMaker(input, context.config);
  const variants = maker?.first() ?? [];
  if (!maker || variants.length === 0 || context.signal?.aborted) return noVariants;
  context.onProgress?.('sending requests made for the change');
  const usual = input.observations.compared.firstAlone();
  const screenAll = (some: readonly Variant[]): Promise<ScreenedVariants> =>
    screen(some, { plan, usual }, context);
  const first = await screenAll(variants);
  const reaching = variantsOf(first.round, reached.newTraces(plan));
  // Where one request differs, those after it would show the same.
  const sequences = first.suspects.length > 0 ? [] : maker.sequences(first.round);
  // Faults last: a circuit that they break stays open for a while.
  const listed = maker.following(first.round);
  const more = [...maker.beyond(reaching), ...listed, ...sequences, ...maker.faults()];
  const screened = [first, ...(more.length > 0 ? [await screenAll(more)] : [])];
  const sent = {
    hops: screened.flatMap(({ round }) => round.candidate.hops),
    remarks: [formatSent(screened, reaching.length)],
  };
  const suspects = screened.flatMap((one) => one.suspects);
  if (suspects.length === 0) return { ...noVariants, ...sent };
  return confirmVariants(suspects, sent, { ...input, context });
}

function formatSent(screened: readonly ScreenedVariants[], reaching: number): string {
  const made = screened.reduce((sum, { variants }) => sum + variants.length, 0);
  const hops = screened.flatMap(({ round }) => round.candidate.hops).filter(isVariantHop);
  const count = new Set(hops.map(({ sentAs }) => sentAs)).size;
  const sent = count < made ? `${count} of ${made}` : `${count}`;
  const also = reaching > 0 ? `; ${reaching} of them ran changed lines that no other ran` : '';
  return `requests made for the change: ${sent} sent${also}`;
}

/** What one round of variants showed, and which of them differed. */
interface ScreenedVariants {
  readonly variants: readonly Variant[];
  readonly round: Round;
  readonly suspects: readonly Suspect[];
}

async function screen(
  variants: readonly Variant[],
  { plan, usual }: { readonly plan: VerificationPlan; readonly usual: readonly Difference[] },
  context: VerifyContext,
): Promise<ScreenedVariants> {
  const round = await runVariants(variants, plan, context);
  const compared = new ComparedRounds(plan.changed, context.disputes);
  await compared.add(round);
  const differences = compared.differences().flat();
  const suspects = suspectsOf({ variants, round, differences }, usual);
  const noisy = await processNoise(suspects, round, context.config);
  return { variants, round, suspects: suspects.filter(({ variant }) => !noisy.has(variant)) };
}

/** The variants whose requests have one of these traces. */
function variantsOf({ control, candidate }: Round, traces: ReadonlySet<string>): Variant[] {
  const hops = [...control.hops, ...candidate.hops].filter(isVariantHop);
  const own = hops.filter(({ traceId }) => traceId !== null && traces.has(traceId));
  return [...new Set(own.map(({ sentAs }) => sentAs))];
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

/** Only what differed is sent again, by itself, until each difference is confirmed or chance. */
async function confirmVariants(
  suspects: readonly Suspect[],
  sent: Pick<VariantObservations, 'hops' | 'remarks'>,
  { plan, known, observations, context }: PairInput & { readonly context: VerifyContext },
): Promise<VariantObservations> {
  const compared = new ComparedRounds(plan.changed, context.disputes);
  const chosen = confirmable(suspects);
  do await compared.add(await runVariants(chosen, plan, context));
  while (needsAnotherRound(compared));
  const { differences, notices, doubts } = confirmRounds(
    compared,
    intendedBy(testsOf(observations)),
  );
  const deaths = markDisputed(await findDeaths(plan, context.host), context.disputes);
  const hops = compared.rounds.flatMap(({ control, candidate }) => [
    ...control.hops,
    ...candidate.hops,
  ]);
  const byName = new Map(hops.filter(isVariantHop).map((hop) => [hopName(hop), hop.sentAs]));
  const facts = { variants: byName, known, config: context.config };
  const fold = (some: readonly Difference[]): Difference[] => foldVariants(some, facts);
  return {
    differences: [...deaths.filter(isFailing), ...fold(differences)],
    notices: [...deaths.filter((one) => !isFailing(one)), ...fold(notices)],
    doubts,
    hops: [...sent.hops, ...(compared.rounds.at(-1)?.candidate.hops ?? [])],
    remarks: [...sent.remarks, ...formatLeft(suspects, chosen)],
  };
}

function formatLeft(suspects: readonly Suspect[], chosen: readonly Variant[]): string[] {
  const left = new Set(suspects.map(({ variant }) => variant)).size - chosen.length;
  if (left === 0) return [];
  return [`requests made for the change: ${left} more differed once, and were not sent again`];
}

/** The same variants on both versions at once, so that other load affects both alike. */
async function runVariants(
  variants: readonly Variant[],
  { control, candidate }: LanePair,
  context: VerifyContext,
): Promise<Round> {
  const signal = AbortSignal.any([
    AbortSignal.timeout(verifyLimits.variantsMsMax),
    ...(context.signal ? [context.signal] : []),
  ]);
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
