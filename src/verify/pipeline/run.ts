import type { Verdict } from '../api-schema.ts';
import { confirm } from '../compare/confirm.ts';
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
import { observeRounds } from '../observe/observe-rounds.ts';
import type { VerifyContext } from './context.ts';
import { changedServices, type LanePair, withLanePair } from './lane-pair.ts';
import { planVerification } from './plan.ts';
import { pairOf, type VerifyRequest } from './request.ts';

export type ServiceVerdict = Verdict & { readonly services: readonly string[] };

/** Opens the change and the baseline side by side, and judges what the same requests show. */
export async function runVerification(
  request: VerifyRequest,
  context: VerifyContext,
): Promise<ServiceVerdict> {
  const onFailedStart = (failed: UnstartableChange) => judgeUnstartable(failed, request, context);
  const run = async (): Promise<ServiceVerdict> => {
    const code = await findChangedCode(request, context);
    const work = async (pair: LanePair): Promise<ServiceVerdict> => ({
      ...(await verifyPair(pair, code, request, context)),
      services: changedServices(pair.candidate),
    });
    const wanted = { ...pairOf(request), watched: code?.watched };
    return withLanePair(wanted, context, work, onFailedStart);
  };
  return run().catch((error) => judgeSameConfiguration(error, request, context.lanes));
}

async function verifyPair(
  pair: LanePair,
  code: ChangedCode | null,
  request: VerifyRequest,
  context: VerifyContext,
): Promise<Verdict> {
  const plan = await planVerification(pair, request, context);
  const observations = await observeRounds(plan, request.test, context);
  const confirmation = confirm(observations);
  // Before measuring, which nothing else is to cost.
  const coverage =
    code && (await takeCoverage(code, { ...pair, hops: observations.hops }, context));
  const measured = { plan, pair, request, observations, confirmation, coverage };
  const measurement = await measureChange(measured, context);
  const evidence = await collectEvidence({ ...measured, measurement }, context);
  return explain(judge(evidence), evidence, context);
}
