import { type CallerCopy, callersOf, type Lane, proveReach } from '../../lanes/index.ts';
import type { Verdict } from '../api-schema.ts';
import { confirm } from '../compare/confirm.ts';
import { hasFailed } from '../compare/confirmation.ts';
import { judgeSameConfiguration } from '../judge/equivalent-configuration.ts';
import { collectEvidence } from '../judge/evidence.ts';
import { explain } from '../judge/explain.ts';
import type { UnstartableChange } from '../judge/failed-start.ts';
import { judgeUnstartable } from '../judge/unstartable.ts';
import { judge } from '../judge/verdict.ts';
import {
  type ChangedCode,
  findChangedCode,
  takeCoverage,
} from '../line-coverage/change-coverage.ts';
import { measureChange } from '../measure/measure-change.ts';
import { observeRounds, type RoundObservations } from '../observe/observe-rounds.ts';
import { checkKeys } from '../preflight/lane-check.ts';
import { chooseSuites, profileFor } from '../suites/suite-selection.ts';
import { noVariants, observeVariants, withVariants } from '../variants/observe-variants.ts';
import {
  learnFromCopies,
  rememberLosses,
  type UnsafeCallers,
  unsafeCallers,
} from './caller-copies.ts';
import type { VerifyContext } from './context.ts';
import { changedServices, type LanePair, withLanePair } from './lane-pair.ts';
import { planVerification } from './plan.ts';
import { factsOf, pairOf, type VerifyRequest } from './request.ts';

export type ServiceVerdict = Verdict & { readonly services: readonly string[] };

/** A run whose callers turned out to be unsafe is repeated with copies of them. */
const repeatsMax = 3;

/** Opens the change and the baseline side by side, and judges what the same requests show. */
export async function runVerification(
  request: VerifyRequest,
  context: VerifyContext,
): Promise<ServiceVerdict> {
  const onFailedStart = (failed: UnstartableChange) => judgeUnstartable(failed, request, context);
  const run = async (): Promise<ServiceVerdict> => {
    const code = await findChangedCode(request, context);
    await checkKeysOnce(request, context);
    let callerCopies: readonly CallerCopy[] | undefined;
    for (let repeats = 0; ; repeats++) {
      const work = async (pair: LanePair): Promise<ServiceVerdict | UnsafeRun> => {
        const found = await verifyPair(pair, { code, request, context, repeats });
        if ('callerCopies' in found) return found;
        return { ...found, services: changedServices(pair.candidate) };
      };
      const wanted = { ...pairOf(request), callerCopies, watched: code?.watched };
      const tried = await withLanePair(wanted, context, work, onFailedStart);
      if (!('callerCopies' in tried)) return tried;
      callerCopies = tried.callerCopies;
      context.onProgress?.(`again, with copies of ${namesOf(callerCopies)}`);
    }
  };
  return run().catch((error) => judgeSameConfiguration(error, request, context.lanes));
}

/**
 * Before the first verdict on a version: lanes then have copies of the callers that lose keys from
 * the start. A check that fails costs nothing but that.
 */
async function checkKeysOnce(request: VerifyRequest, context: VerifyContext): Promise<void> {
  const { config, lanes, signal } = context;
  const { base, suites, callers } = request;
  if ((callers ?? config.callers) !== 'auto' || lanes.callers.isChecked(base)) return;
  const change = await factsOf(request, lanes);
  if (callersOf(config, change.services).length === 0 || signal?.aborted) return;
  const profile = profileFor(config, change, request.profile);
  const chosen = chooseSuites(config, { wanted: suites, profile, change }).suites;
  const names = chosen.map(([name]) => name);
  await checkKeys({ base, suites: names }, context).catch(() => undefined);
}

interface VerificationRun {
  readonly code: ChangedCode | null;
  readonly request: VerifyRequest;
  readonly context: VerifyContext;
  /** How often it was repeated already. */
  readonly repeats: number;
}

/** The copies that the next attempt needs. */
interface UnsafeRun {
  readonly callerCopies: readonly CallerCopy[];
}

async function verifyPair(
  pair: LanePair,
  { code, request, context, repeats }: VerificationRun,
): Promise<Verdict | UnsafeRun> {
  const plan = await planVerification(pair, request, context);
  const observations = await observeRounds(plan, request.test, context);
  const unsafe = findUnsafeCallers(pair, observations, { request, context });
  if (unsafe.copies.length > 0 && repeats < repeatsMax) {
    return { callerCopies: [...copiedCallers(pair.candidate), ...unsafe.copies] };
  }
  const confirmed = confirm(observations);
  const variants = hasFailed(confirmed)
    ? noVariants
    : await observeVariants(
        { plan, code, observations, request, known: confirmed.notices },
        context,
      );
  const confirmation = withVariants(confirmed, variants);
  // Before measuring, which nothing else is to cost.
  const hops = [...observations.hops, ...variants.hops];
  const recorded = { ...pair, hops, more: variants.records };
  const coverage = code && (await takeCoverage(code, recorded, context));
  const measured = { plan, pair, request, observations, confirmation, coverage, unsafe, variants };
  const measurement = await measureChange(measured, context);
  const evidence = await collectEvidence({ ...measured, measurement }, context);
  return explain(judge(evidence), evidence, context);
}

function findUnsafeCallers(
  { candidate }: LanePair,
  { hops }: RoundObservations,
  { request, context }: Pick<VerificationRun, 'request' | 'context'>,
): UnsafeCallers {
  const { config, lanes } = context;
  const reach = proveReach(candidate, hops, config);
  const seen = { lane: candidate, hops, reach, base: request.base, config, facts: lanes.callers };
  learnFromCopies(seen);
  if (reach.proven) rememberLosses(seen);
  const unsafe = unsafeCallers(seen);
  if ((request.callers ?? config.callers) !== 'shared') return unsafe;
  // The owner wants no copies, so that nothing can show whether these kept the key.
  const shared = unsafe.copies.map(({ service, why }) => `${service}: ${why}; callers are shared`);
  return { copies: [], uncopied: [...shared, ...unsafe.uncopied] };
}

function copiedCallers({ candidates }: Pick<Lane, 'candidates'>): CallerCopy[] {
  return candidates
    .filter(({ version }) => version === 'caller')
    .map(({ service, why = '' }) => ({ service, why }));
}

function namesOf(copies: readonly CallerCopy[]): string {
  return copies.map(({ service }) => service).join(', ');
}
