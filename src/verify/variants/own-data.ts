import { branchOf, type DataMode, type Hop, servicesWith } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { isSafe } from '../compare/index.ts';

export interface OwnData {
  readonly services: readonly string[];
  readonly data: Readonly<Record<string, DataMode>>;
}

/**
 * What lanes need so that no effect leaves them: a branch of every datastore, and copies of all
 * services that use one or that requests change: these may hold data in memory or in files. Null if
 * that can't be had, or would not be enough.
 */
export function ownDataOf(config: Config, hops: readonly Hop[]): OwnData | null {
  const stores = Object.keys(config.datastores);
  const services = servicesWith(config, stores);
  const isUsed = (store: string): boolean => servicesWith(config, [store]).length > 0;
  const isClosed = stores.length > 0 && Object.keys(config.queues).length === 0;
  const isElsewhere = services.some((name) => config.services[name]?.isElsewhere);
  if (!isClosed || isElsewhere || !stores.every(isUsed)) return null;
  const written = hops.filter((hop) => !isSafe(hop)).map(({ to }) => to);
  const isCopied = (name: string): boolean => config.services[name]?.isElsewhere === false;
  return {
    services: [...new Set([...services, ...written.filter(isCopied)])],
    data: branchOf(stores),
  };
}
