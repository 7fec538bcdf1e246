import { type Actor, sharedLimits, systemRandom } from '../../kernel/index.ts';
import type { CallerCopy, CallerMode, Lane, OpenLane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { type UnstartableChange, unstartableBy } from '../judge/failed-start.ts';
import type { WatchedChange } from '../line-coverage/changed-code.ts';
import type { VerifyContext } from './context.ts';

/** The actor of a verification's own lanes, whoever asked for the verification. */
export const runner: Actor = 'surety:verify';

/** Both versions, each with fresh processes of the same services. */
export interface LanePair {
  readonly control: Lane;
  readonly candidate: Lane;
}

export interface PairRequest {
  readonly base: string;
  /** Without a patch both lanes run the same. */
  readonly patch?: string | undefined;
  /** Services that both lanes get a copy of, in addition to the changed ones. */
  readonly services?: readonly string[] | undefined;
  /** By datastore; those that are not named are shared, unless the change migrates them. */
  readonly data?: OpenLane['data'];
  /** The lines of each version of which its candidates record whether they run. */
  readonly watched?: WatchedChange | undefined;
  readonly callers?: CallerMode | undefined;
  /** Exactly these unchanged callers run as copies in both lanes. */
  readonly callerCopies?: readonly CallerCopy[] | undefined;
}

/**
 * Longer than any run: a run closes its lanes itself, and a lane that expires earlier would look
 * like a change that died. Not for ever, since the daemon may die before it closes them.
 */
export function lifeOf({ lanes: { ttlMinutes, ttlMinutesMax } }: Pick<Config, 'lanes'>): number {
  const wanted = Math.max(ttlMinutes, 2 * sharedLimits.validationMinutesMax);
  return Math.min(wanted, ttlMinutesMax) * 60_000;
}

/** Closes both lanes, however the work ends. */
export async function withLanePair<Result>(
  request: PairRequest,
  context: Pick<VerifyContext, 'lanes' | 'config' | 'random' | 'onUse'>,
  work: (pair: LanePair) => Promise<Result>,
  /** Called if a candidate does not start; without it the error is thrown. */
  onFailedStart?: (failed: UnstartableChange) => Promise<Result>,
): Promise<Result> {
  const { lanes, config, random = systemRandom, onUse } = context;
  const all: Lane[] = [];
  const open = async (wanted: OpenLane): Promise<Lane> => {
    const lane = await lanes.open(runner, { ...wanted, transient: true, ttlMs: lifeOf(config) });
    all.push(lane);
    return lane;
  };
  try {
    const isControlFirst = ((random(1)[0] ?? 0) & 1) === 1;
    const pair = await openPair(request, isControlFirst, { lanes, open });
    if (!('error' in pair)) return await work(pair);
    if (!onFailedStart) throw pair.error;
    return await onFailedStart(pair);
  } finally {
    for (const lane of onUse ? all : []) {
      const use = await lanes.useOf(lane);
      if (use) onUse?.(use);
    }
    await Promise.all(all.map(({ lane }) => lanes.close(runner, lane)));
  }
}

interface PairDeps extends Pick<VerifyContext, 'lanes'> {
  readonly open: (wanted: OpenLane) => Promise<Lane>;
}

/**
 * In random order: the lane that is opened first waits longer for its first request, and a program
 * could tell by that which of the two it is in.
 */
async function openPair(
  { base, patch, services = [], data, watched, callers, callerCopies }: PairRequest,
  isControlFirst: boolean,
  { lanes, open }: PairDeps,
): Promise<LanePair | UnstartableChange> {
  const wanted = {
    base,
    services: [...services],
    ...(data === undefined ? {} : { data }),
    ...(patch === undefined ? {} : { patch, branchesMigrated: true }),
    watched: watched?.candidate,
    ...(callers === undefined ? {} : { callers }),
    callerCopies,
  };
  // The control runs fresh copies of the same services on data of the same kind: the baseline's own
  // processes have a history that would show. An invalid change fails here, and costs no lane.
  const like = { base, ...(await lanes.preview(wanted)), watched: watched?.control };
  const first = isControlFirst ? await open(like) : null;
  const candidate = await open(wanted).catch(unstartableBy);
  if ('error' in candidate) return candidate;
  return { control: first ?? (await open(like)), candidate };
}

/** Without the unchanged copies beside them; if nothing is changed, the copies are meant. */
export function changedServices({ candidates }: Pick<Lane, 'candidates'>): string[] {
  const compared = candidates.filter(({ version }) => version !== 'caller');
  const changed = compared.filter(({ version }) => version === 'changed');
  return (changed.length > 0 ? changed : compared).map(({ service }) => service);
}
