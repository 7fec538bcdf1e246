import { branchOf, type DataMode, servicesWith } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';

export interface OwnData {
  readonly services: readonly string[];
  readonly data: Readonly<Record<string, DataMode>>;
}

/**
 * What lanes need so that no effect leaves them: a branch of every datastore, and copies of all
 * services that use one. Null if that can't be had, or would not be enough.
 */
export function ownDataOf(config: Config): OwnData | null {
  const stores = Object.keys(config.datastores);
  const services = servicesWith(config, stores);
  const isUsed = (store: string): boolean => servicesWith(config, [store]).length > 0;
  const isClosed = stores.length > 0 && Object.keys(config.queues).length === 0;
  const isElsewhere = services.some((name) => config.services[name]?.isElsewhere);
  if (!isClosed || isElsewhere || !stores.every(isUsed)) return null;
  return { services, data: branchOf(stores) };
}
