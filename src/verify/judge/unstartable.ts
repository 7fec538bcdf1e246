import type { Lanes, OpenLane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Verdict } from '../api-schema.ts';
import { isFailing } from '../compare/confirmation.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { runner } from '../pipeline/lane-pair.ts';
import { factsOf, pairOf, type VerifyRequest } from '../pipeline/request.ts';
import { noObservation } from './equivalent-configuration.ts';
import { explain } from './explain.ts';
import { type FailedStart, notStarted, type UnstartableChange } from './failed-start.ts';
import { markDisputed } from './finding-id.ts';
import { pointersFor } from './pointers.ts';
import { judge } from './verdict.ts';

/**
 * If the baseline starts now and the changed version does not, that is a verdict. If neither does,
 * nothing is known about the change, and the error is thrown as it is.
 */
export async function judgeUnstartable(
  { error, ...failed }: UnstartableChange,
  request: VerifyRequest,
  context: VerifyContext,
): Promise<Verdict & { services: readonly string[] }> {
  const { base, profile = 'quick' } = request;
  const { services } = await factsOf(request, context.lanes);
  const service = ownerOf(failed, services, context.config);
  const starts = (wanted: OpenLane) => startsNow(wanted, context.lanes);
  if (service === undefined || !(await starts({ base, services: [service] }))) throw error;
  // Like every finding, it has to be seen twice.
  const isOnce = await starts({ ...pairOf(request), branchesMigrated: true });
  const found = isOnce ? [] : [notStarted({ ...failed, service })];
  const differences = markDisputed(found, context.disputes);
  const evidence = {
    ...noEvidence,
    differences: differences.filter(isFailing),
    notices: differences.filter((one) => !isFailing(one)),
    profile,
    remarks: isOnce ? [`${service} failed to start once: ${failed.reason}`] : [],
    changed: services,
    reach: noObservation(profile, `${service} did not start`).reach,
    ...(await pointersFor(request, context)),
  };
  return { ...(await explain(judge(evidence), evidence, context)), services };
}

const noEvidence = {
  control: [],
  candidate: [],
  doubts: [],
  undecided: [],
  signals: [],
  hops: [],
  logs: new Set<string>(),
};

/** A failed migration names a store: then the first changed service is responsible. */
function ownerOf(
  { service }: FailedStart,
  changed: readonly string[],
  { services }: Config,
): string | undefined {
  return Object.hasOwn(services, service) ? changed.find((one) => one === service) : changed[0];
}

async function startsNow(wanted: OpenLane, lanes: Lanes): Promise<boolean> {
  try {
    const { lane } = await lanes.open(runner, { ...wanted, transient: true });
    // It has started, however it ends.
    await lanes.close(runner, lane).catch(() => undefined);
    return true;
  } catch {
    return false;
  }
}
