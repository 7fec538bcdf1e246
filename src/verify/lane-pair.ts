import type { Actor } from '../kernel/index.ts';
import type { Lane, Lanes, OpenLane } from '../lanes/index.ts';
import { type Unstartable, unstartable } from './failed-start.ts';

/** Lanes that a run needs are its own doing, whoever asked for the run. */
export const runner: Actor = 'surety:verify';

/** Both versions, each with fresh processes of the same services. */
export interface LanePair {
  readonly control: Lane;
  readonly candidate: Lane;
}

export interface PairRequest {
  readonly patch: string;
  readonly base: string;
}

/** No lane is left open, however the work ends. */
export async function withLanePair<Result>(
  request: PairRequest,
  { lanes }: { readonly lanes: Lanes },
  work: (pair: LanePair) => Promise<Result>,
  /** What to do when a candidate can't be started; without it, that is told as it is. */
  otherwise?: (failed: Unstartable) => Promise<Result>,
): Promise<Result> {
  const opened: Lane[] = [];
  const open = async (wanted: OpenLane): Promise<Lane> => {
    const lane = await lanes.open(runner, { ...wanted, transient: true });
    opened.push(lane);
    return lane;
  };
  try {
    // The candidate first: a change that can't be taken costs no control lane.
    const opening = open({ ...request, branchesMigrated: true });
    const candidate = await opening.catch(unstartable);
    if ('error' in candidate) {
      if (!otherwise) throw candidate.error;
      return await otherwise(candidate);
    }
    const control = await open({ base: request.base, ...likeCandidate(candidate) });
    return await work({ control, candidate });
  } finally {
    await Promise.all(opened.map(({ lane }) => lanes.close(runner, lane)));
  }
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

export function changedServices({ candidates }: Lane): string[] {
  return candidates.filter(({ version }) => version === 'changed').map(({ service }) => service);
}
