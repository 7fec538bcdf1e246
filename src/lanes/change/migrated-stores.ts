import { type Config, isWithin } from '../../system/index.ts';
import type { DataMode } from '../api-schema.ts';

/** Stores for which a change brings migrations, by the paths that these are made of. */
export function migratedStores(config: Config, files: readonly string[]): string[] {
  return Object.entries(config.datastores)
    .filter(([name]) => usersOf(config, name).every(({ isElsewhere }) => !isElsewhere))
    .filter(([, { migrations }]) =>
      migrations?.paths.some((path) => files.some((file) => isWithin(file, path))),
    )
    .map(([name]) => name);
}

/** Every service that uses one of these stores. */
export function servicesWith({ services }: Config, stores: readonly string[]): string[] {
  return Object.entries(services)
    .filter(([, service]) => service.stores.some((store) => stores.includes(store)))
    .map(([name]) => name);
}

function usersOf({ services }: Config, store: string): Config['services'][string][] {
  return Object.values(services).filter(({ stores }) => stores.includes(store));
}

/** Every one of these stores as a branch. */
export function branchOf(stores: readonly string[]): Record<string, DataMode> {
  return Object.fromEntries(stores.map((store) => [store, 'branch']));
}
