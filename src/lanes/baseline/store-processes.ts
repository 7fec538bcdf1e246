import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { StoreConfig, Stores } from '../data/store.ts';
import type { Host } from '../host/host.ts';
import { laneLimits } from '../limits.ts';

export interface StoreProcessesDeps {
  readonly host: Host;
  readonly stores: Stores;
  /** Where surety.yaml stands. */
  readonly root: string;
  /** The program that runs a store by the programs of this machine, as a line for a shell. */
  readonly localCommand: (store: LocalStore) => string;
}

/** A server on this machine, with the databases that it has to have. */
export interface LocalStore {
  readonly name: string;
  readonly kind: StoreConfig['kind'];
  readonly urls: readonly string[];
}

/** Datastores that Surety starts itself, because nothing answers at their address. */
export class StoreProcesses {
  readonly #deps: StoreProcessesDeps;

  constructor(deps: StoreProcessesDeps) {
    this.#deps = deps;
  }

  /** Resolves when every store that services use answers. */
  async start({ datastores, services }: Config): Promise<void> {
    const used = new Set(Object.values(services).flatMap(({ stores }) => stores));
    const own = new Set(Object.values(services).map(({ port }) => `127.0.0.1:${port}`));
    const wanted = Object.entries(datastores)
      .filter(
        ([name, { start, migrations, seeds }]) => used.has(name) || start || migrations || seeds,
      )
      // A server that is a service of the system starts with the others.
      .filter(([, { url }]) => !own.has(addressOf(url)?.replace('localhost', '127.0.0.1') ?? ''));
    const servers = Map.groupBy(wanted, ([, { url }]) => addressOf(url) ?? url);
    await Promise.all([...servers.values()].map((stores) => this.#server(stores)));
  }

  async stop(): Promise<void> {
    const names = [...(await this.#deps.host.states()).keys()].filter(isStoreProcess);
    await Promise.all(names.map((name) => this.#deps.host.stop(name)));
  }

  async #server(stores: readonly (readonly [string, StoreConfig])[]): Promise<void> {
    const [first] = stores;
    if (!first || addressOf(first[1].url) === undefined) return;
    const [name, config] = first;
    if ((await this.#problem(config)) === undefined) return;
    const starting = stores.find(([, { start }]) => start !== undefined);
    if (!starting) throw await this.#unreachable(name, config);
    await this.#launch(starting, stores);
    await this.#untilAnswers(...starting);
  }

  async #launch(
    [name, config]: readonly [string, StoreConfig],
    stores: readonly (readonly [string, StoreConfig])[],
  ): Promise<void> {
    const { host, root, localCommand } = this.#deps;
    const url = new URL(config.url);
    const urls = [config.url, ...stores.map(([, store]) => store.url)];
    const { kind, start = '' } = config;
    // One that crashed would otherwise stand in the way of its successor's name.
    if ((await host.states()).has(processName(name))) await host.stop(processName(name));
    await host.start({
      name: processName(name),
      log: name,
      service: name,
      command: start === 'local' ? localCommand({ name, kind, urls: [...new Set(urls)] }) : start,
      directory: root,
      environment: process.env as Record<string, string>,
      port: Number(url.port) || usualPorts[kind],
      health: undefined,
      protocol: 'tcp',
      startMs: laneLimits.storeStartMsMax,
      secrets: {},
      limits: {},
      restarts: true,
    });
  }

  /** A port that takes connections may belong to a server that is still starting. */
  async #untilAnswers(name: string, config: StoreConfig): Promise<void> {
    const deadline = performance.now() + laneLimits.storeStartMsMax;
    while ((await this.#problem(config)) !== undefined) {
      if (performance.now() > deadline) throw await this.#unreachable(name, config);
      await delay(lookEveryMs);
    }
  }

  async #problem(config: StoreConfig): Promise<string | undefined> {
    try {
      await this.#deps.stores[config.kind].check?.(config);
      return undefined;
    } catch (error) {
      return (error as Error).message || String((error as NodeJS.ErrnoException).code);
    }
  }

  async #unreachable(store: string, config: StoreConfig): Promise<Error> {
    const reason = (await this.#problem(config)) ?? 'it did not answer in time';
    const address = addressOf(config.url) ?? '';
    return fault('DATASTORE_UNREACHABLE', { store, address, reason });
  }
}

const lookEveryMs = 100;
const usualPorts: Readonly<Record<StoreConfig['kind'], number>> = { postgres: 5_432, redis: 6_379 };

const processName = (store: string): string => `store.${store}`;
const isStoreProcess = (name: string): boolean => name.startsWith('store.');

/** Undefined for a socket, a file, or anything else that is no server on a port. */
function addressOf(url: string): string | undefined {
  const address = URL.parse(url);
  const isServer = /^(?:postgres(?:ql)?|rediss?):$/.test(address?.protocol ?? '');
  return isServer && address?.hostname ? address.host : undefined;
}
