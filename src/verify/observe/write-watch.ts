import type { Lane, Lanes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Recording } from '../compare/index.ts';
import { writesBetween } from './written-rows.ts';

export interface WriteDeps {
  readonly lanes?: Pick<Lanes, 'rows'>;
  readonly config: Pick<Config, 'services'>;
}

type Written = Pick<Recording, 'writes'>;

/**
 * From now on: what the lane writes into stores of its own. Into what is shared anybody may write
 * at the same time, and no row tells whose it is.
 */
export async function watchWrites(
  lane: Lane,
  changed: Lane,
  { lanes, config }: WriteDeps,
): Promise<() => Promise<Written>> {
  const isOwn = lane.data?.some(({ mode }) => mode !== 'shared') ?? false;
  if (!lanes || !isOwn) return async () => ({});
  const before = await lanes.rows(lane);
  const writerOf = (store: string): string => writer(store, changed, config);
  return async () => ({ writes: writesBetween(before, await lanes.rows(lane), writerOf) });
}

/** The changed service that uses the store; of several, the first. */
function writer(store: string, { candidates }: Lane, { services }: WriteDeps['config']): string {
  const using = candidates.filter(({ service }) => services[service]?.stores.includes(store));
  const [first] = [...using.filter(({ version }) => version === 'changed'), ...using];
  return first?.service ?? store;
}
