import { type Actor, limits } from '../../kernel/index.ts';
import type { Lane, Lanes, OpenLane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { type Unstartable, unstartable } from '../judge/failed-start.ts';

/** Lanes that a run needs are its own doing, whoever asked for the run. */
export const runner: Actor = 'surety:verify';

/** Both versions, each with fresh processes of the same services. */
export interface LanePair {
  readonly control: Lane;
  readonly candidate: Lane;
}

export interface PairRequest {
  readonly base: string;
  /** Without one both run the same. */
  readonly patch?: string | undefined;
  /** Without a patch: those that both get a copy of. */
  readonly services?: readonly string[] | undefined;
}

interface PairDeps {
  readonly lanes: Lanes;
  readonly config: Config;
}

/**
 * Longer than any run: it closes its lanes itself, and one that ended meanwhile would look like a
 * change that died. They are not for ever, since the daemon may never come back to close them.
 */
export function lifeOf({ lanes: { ttlMinutes, ttlMinutesMax } }: Pick<Config, 'lanes'>): number {
  const wanted = Math.max(ttlMinutes, 2 * limits.validationMinutesMax);
  return Math.min(wanted, ttlMinutesMax) * 60_000;
}

/** No lane is left open, however the work ends. */
export async function withLanePair<Result>(
  request: PairRequest,
  { lanes, config }: PairDeps,
  work: (pair: LanePair) => Promise<Result>,
  /** What to do when a candidate can't be started; without it, that is told as it is. */
  otherwise?: (failed: Unstartable) => Promise<Result>,
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
    if (!otherwise) throw pair.error;
    return await otherwise(pair);
  } finally {
    await Promise.all(all.map(({ lane }) => lanes.close(runner, lane)));
  }
}

async function openPair(
  { base, patch, services = [] }: PairRequest,
  open: (wanted: OpenLane) => Promise<Lane>,
): Promise<LanePair | Unstartable> {
  const wanted = patch === undefined ? { services } : { patch, branchesMigrated: true };
  // The candidate first: a change that can't be taken costs no control lane.
  const candidate = await open({ base, ...wanted }).catch(unstartable);
  if ('error' in candidate) return candidate;
  const control = await open({ base, ...likeCandidate(candidate) });
  return { control, candidate };
}

/**
 * The control runs copies of the same services: processes as young, with as little behind them, on
 * data of the same kind. What the baseline's own have been through would be compared otherwise.
 */
function likeCandidate({ candidates, data }: Lane): Pick<OpenLane, 'services' | 'data'> {
  const own = data.filter(({ mode }) => mode !== 'shared');
  return {
    services: candidates.map(({ service }) => service),
    data: Object.fromEntries(own.map(({ store, mode }) => [store, mode])),
  };
}

/** Copies keep a changed service company; only where nothing is changed, they are the point. */
export function changedServices({ candidates }: Pick<Lane, 'candidates'>): string[] {
  const changed = candidates.filter(({ version }) => version === 'changed');
  return (changed.length > 0 ? changed : candidates).map(({ service }) => service);
}
