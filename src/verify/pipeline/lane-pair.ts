import { type Actor, sharedLimits } from '../../kernel/index.ts';
import type { Lane, OpenLane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { type UnstartableChange, unstartableBy } from '../judge/failed-start.ts';
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
  /** Without a patch: the services that both lanes get a copy of. */
  readonly services?: readonly string[] | undefined;
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
  { lanes, config }: Pick<VerifyContext, 'lanes' | 'config'>,
  work: (pair: LanePair) => Promise<Result>,
  /** Called if a candidate does not start; without it the error is thrown. */
  onFailedStart?: (failed: UnstartableChange) => Promise<Result>,
): Promise<Result> {
  const all: Lane[] = [];
  const open = async (wanted: OpenLane): Promise<Lane> => {
    const lane = await lanes.open(runner, { ...wanted, transient: true, ttlMs: lifeOf(config) });
    all.push(lane);
    return lane;
  };
  try {
    const pair = await openPair(request, open);
    if (!('error' in pair)) return await work(pair);
    if (!onFailedStart) throw pair.error;
    return await onFailedStart(pair);
  } finally {
    await Promise.all(all.map(({ lane }) => lanes.close(runner, lane)));
  }
}

async function openPair(
  { base, patch, services = [] }: PairRequest,
  open: (wanted: OpenLane) => Promise<Lane>,
): Promise<LanePair | UnstartableChange> {
  const wanted = patch === undefined ? { services } : { patch, branchesMigrated: true };
  // The candidate first: an invalid change costs no control lane.
  const candidate = await open({ base, ...wanted }).catch(unstartableBy);
  if ('error' in candidate) return candidate;
  const control = await open({ base, ...likeCandidate(candidate) });
  return { control, candidate };
}

/**
 * The control runs fresh copies of the same services on data of the same kind: the baseline's own
 * processes have a history that would show in the comparison.
 */
function likeCandidate({ candidates, data }: Lane): Pick<OpenLane, 'services' | 'data'> {
  const own = data.filter(({ mode }) => mode !== 'shared');
  return {
    services: candidates.map(({ service }) => service),
    data: Object.fromEntries(own.map(({ store, mode }) => [store, mode])),
  };
}

/** Without the unchanged copies beside them; if nothing is changed, the copies are meant. */
export function changedServices({ candidates }: Pick<Lane, 'candidates'>): string[] {
  const changed = candidates.filter(({ version }) => version === 'changed');
  return (changed.length > 0 ? changed : candidates).map(({ service }) => service);
}
