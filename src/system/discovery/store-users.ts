import { variableOf } from './compose.ts';
import {
  type FoundStore,
  type FoundStoreKind,
  type ServiceSources,
  serviceNameOf,
} from './found.ts';
import { isAddressOf, namesHost, onThisMachine } from './stores.ts';

/** A store as surety.yaml has it: one address, one variable, and the services that get it so. */
export interface UsedStore {
  readonly name: string;
  readonly url: string;
  readonly variable: string;
  readonly users: readonly string[];
  readonly unknown: readonly string[];
  readonly store: FoundStore;
}

export function isDatastore(kind: FoundStoreKind): boolean {
  return kind === 'postgres' || kind === 'redis';
}

/** One for each database of a server that services use by the same variable. */
export function usedStores(store: FoundStore, services: readonly ServiceSources[]): UsedStore[] {
  const variable = variableOf(store, services);
  const uses = services.flatMap(({ name, environment = {} }) => {
    const value = environment[variable];
    return value !== undefined && isAddressOf(store, value) ? [{ name, value }] : [];
  });
  if (uses.length === 0) {
    return [
      {
        name: store.name,
        url: store.url,
        variable,
        users: [],
        unknown: whoUses(store, services),
        store,
      },
    ];
  }
  const databases = Map.groupBy(uses, ({ value }) => databaseOf(value));
  return [...databases].map(([database, users], index) => ({
    name: databases.size === 1 ? store.name : serviceNameOf(`${store.name}-${database || 'main'}`),
    url: onThisMachine(store, users[0]?.value ?? store.url),
    variable,
    users: users.map(({ name }) => name),
    unknown: [],
    // Scripts of the container run once, for the database that they are about.
    store: index === 0 ? store : { ...store, migrations: undefined, seeds: undefined },
  }));
}

function databaseOf(url: string): string {
  return /^\w+:\/\/[^/]*\/([^?]*)/.exec(url)?.[1] ?? '';
}

/** Programs that call it by a name of the container network find nobody under it here. */
function builtInName({ name, hosts }: FoundStore): string {
  const line = `127.0.0.1 ${hosts.join(' ')}`;
  return `${name}: no variable of a service names it; if a program has the name built in, add the line "${line}" to /etc/hosts`;
}

function whoUses(store: FoundStore, services: readonly ServiceSources[]): string[] {
  const named = services.filter(({ environment = {} }) =>
    Object.values(environment).some((value) => namesHost(store, value)),
  );
  if (named.length === 0) {
    return [builtInName(store)];
  }
  const names = named.map(({ name }) => name).join(', ');
  return [
    `${store.name}: ${names} get its address in parts, so lanes share its data; with one variable such as DATABASE_URL, lanes can have their own`,
  ];
}
