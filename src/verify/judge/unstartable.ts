import type { Host, Lanes, OpenLane, Trees } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { Disputed } from '../history/disputed.ts';
import type { Dispute } from '../history/disputes.ts';
import { setAside } from '../history/set-aside.ts';
import { runner } from '../pipeline/lane-pair.ts';
import type { Profile } from '../pipeline/profile.ts';
import { factsOf, type LookedAt, pairOf } from '../pipeline/subject.ts';
import { type FailedStart, notStarted, type Unstartable } from './failed-start.ts';
import { pointers } from './pointers.ts';
import { judge, type Verdict } from './verdict.ts';
import { heardBy, withLogs } from './verdict-logs.ts';

interface Deps {
  readonly host: Host;
  readonly lanes: Lanes;
  readonly trees: Trees;
  readonly config: Config;
  readonly disputes?: readonly Dispute[];
}

interface Judged extends LookedAt {
  readonly profile?: Profile | undefined;
}

/**
 * The version before starts here and now, and the changed one does not: that is a verdict. Where
 * neither does, nothing is known about the change, and what went wrong is told as it is.
 */
export async function judgeUnstartable(
  { error, ...failed }: Unstartable,
  request: Judged,
  deps: Deps,
): Promise<Verdict & { services: readonly string[] }> {
  const { base, profile = 'quick' } = request;
  const { services } = await factsOf(request, deps.lanes);
  const service = ownerOf(failed, services, deps.config);
  const starts = (wanted: OpenLane) => startsNow(wanted, deps.lanes);
  if (service === undefined || !(await starts({ base, services: [service] }))) throw error;
  // As everything that is held against a change, it has to be seen again.
  const isOnce = await starts({ ...pairOf(request), branchesMigrated: true });
  const disputed = new Disputed(deps.disputes ?? []);
  const found = isOnce ? [] : [notStarted({ ...failed, service })];
  const verdict = judge({
    control: [],
    candidate: [],
    differences: disputed.without(found),
    notices: [],
    doubts: [],
    undecided: [],
    profile,
    signals: [],
    remarks: isOnce ? [`${service} once did not start: ${failed.reason}`] : [],
    hops: [],
    changed: services,
    reach: { ...nothing, reason: `${service} did not start` },
    ...(await pointers(request, deps)),
  });
  const told = await withLogs(verdict, heardBy([], []), deps.host);
  return { ...setAside(told, disputed.among(found), disputed.disputes), services };
}

const nothing = { proven: false, candidates: [], hops: 0, silent: [], lost: [] };

/** A migration belongs to a store: it is the doing of whoever brings it. */
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
