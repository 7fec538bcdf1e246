import type { Lane, Lanes } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Recording } from '../compare/index.ts';
import { writesBetween } from './written-rows.ts';

interface WriteContext {
  readonly lanes?: Pick<Lanes, 'rows'>;
  readonly config: Pick<Config, 'services'>;
}

type Writes = Pick<Recording, 'writes'>;

/**
 * Reads what the lane writes from now on into stores of its own. Others may write into a shared
 * store at the same time, and a row does not say who wrote it.
 */
export async function watchWrites(
  lane: Lane,
  changed: Lane,
  { lanes, config }: WriteContext,
): Promise<() => Promise<Writes>> {
  const isOwn = lane.data?.some(({ mode }) => mode !== 'shared') ?? false;
  if (!lanes || !isOwn) return async () => ({});
  const before = await lanes.rows(lane);
  const writerOf = (store: string): string => writer(store, changed, config);
  return async () => ({ writes: writesBetween(before, await lanes.rows(lane), writerOf) });
}

/** The changed service that uses the store; of several, the first. */
function writer(store: string, { candidates }: Lane, { services }: WriteContext['config']): string {
  const using = candidates.filter(({ service }) => services[service]?.stores.includes(store));
  const [first] = [...using.filter(({ version }) => version === 'changed'), ...using];
  return first?.service ?? store;
}
