import type { Confinement } from '../../confinement/index.ts';
import { fault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { DataMode, LaneData, StoreStatus } from '../api-schema.ts';
import type { VersionTree } from '../change/trees.ts';
import { BranchRecords } from './branch-records.ts';
import { dropBranches } from './drop-branches.ts';
import { liveEnvironment } from './live-environment.ts';
import { readOnly } from './read-only.ts';
import {
  type BranchRecord,
  type StoreConfig,
  type StoreMark,
  type StoreRows,
  type Stores,
  storeKind,
} from './store.ts';

export interface DataRequest {
  /** All services that the lane has a candidate of. */
  readonly services: readonly string[];
  /** By datastore; stores without an entry are shared. */
  readonly modes: Readonly<Record<string, DataMode>>;
  /** The lane's version, with its migrations; a lane without candidates has none. */
  readonly tree: VersionTree | null;
  /** What the lane below has: its candidates and ours serve the same requests. */
  readonly below?: readonly LaneData[];
}

export interface DataDeps {
  readonly config: Config;
  readonly stores: Stores;
  /** The directory of the records of branches; only the own user may read it. */
  readonly directory: string;
  /** Where surety.yaml stands. */
  readonly root: string;
  /** A program that, given this directory and a lane, drops what the lane has. */
  readonly reaper: readonly string[];
  readonly confinement: Confinement;
}

/** Data that belongs to a lane alone. */
export class DataBranches {
  readonly #deps: DataDeps;
  readonly #records: BranchRecords;

  constructor(deps: DataDeps) {
    this.#deps = deps;
    this.#records = new BranchRecords(deps.directory);
  }

  /** When it fails, nothing is left. Refuses what part of the lane's services would not see. */
  async open(lane: string, request: DataRequest): Promise<readonly LaneData[]> {
    const { config } = this.#deps;
    checkModes(config, request.services, request.modes);
    const stores = Object.entries(config.datastores);
    const opened = await Promise.allSettled(
      stores.map(([store, storeConfig]) => this.#openStore(lane, store, storeConfig, request)),
    );
    const failed = opened.find(({ status }) => status === 'rejected');
    if (!failed) return opened.map((one) => (one as PromiseFulfilledResult<LaneData>).value);
    // What can't be dropped stays written down; why it could not be opened is what counts.
    await this.close(lane).catch(() => undefined);
    throw (failed as PromiseRejectedResult).reason;
  }

  /** What a candidate of the service gets, with addresses and passwords: for its start alone. */
  environment(
    lane: string,
    service: string,
    below: readonly LaneData[] = [],
  ): Readonly<Record<string, string>> {
    const { config } = this.#deps;
    const used = config.services[service]?.stores ?? [];
    const records = [...this.#recordsOfBranches(below), ...this.#records.of(lane)];
    const variables = records
      .filter(({ store }) => used.includes(store))
      .map(({ environment }) => environment);
    return Object.assign(liveEnvironment(config, service), ...variables);
  }

  /**
   * Where these stores are, for a suite that looks into them. Of live data it gets an address by
   * which it only reads, where the server knows such.
   */
  addresses(data: readonly LaneData[], names: readonly string[]): Record<string, string> {
    const own = this.#recordsOfBranches(data).filter(({ store }) => names.includes(store));
    const live = names.flatMap((name) => {
      const { kind, variable, url } = this.#deps.config.datastores[name] as StoreConfig;
      return [[variable, kind === 'postgres' ? readOnly(url) : url]];
    });
    return Object.assign(Object.fromEntries(live), ...own.map(({ environment }) => environment));
  }

  /** What these have of their own, in stores that can tell; none of what is shared. */
  async rows(data: readonly LaneData[]): Promise<StoreRows[]> {
    const own = this.#recordsOfBranches(data);
    const read = own.map(async (record) => {
      const tables = await this.#deps.stores[record.kind].rows?.(record);
      return tables ? [{ store: record.store, tables }] : [];
    });
    return (await Promise.all(read)).flat();
  }

  /** Of live data that can tell what is written from now on. */
  async markLive(stores: readonly string[]): Promise<StoreMark[]> {
    const marks = stores.map(async (store) => {
      const config = this.#deps.config.datastores[store];
      const mark = config && (await this.#deps.stores[config.kind].mark?.(config));
      return mark === undefined ? [] : [{ store, mark }];
    });
    return (await Promise.all(marks)).flat();
  }

  /** What anybody wrote into live data since. */
  async liveRowsSince(marks: readonly StoreMark[]): Promise<StoreRows[]> {
    const read = marks.map(async ({ store, mark }) => {
      const config = this.#deps.config.datastores[store];
      const tables = config && (await this.#deps.stores[config.kind].newRows?.(config, mark));
      return tables ? [{ store, tables }] : [];
    });
    return (await Promise.all(read)).flat();
  }

  /** Any number of times. What could not be dropped is tried again by the next `recover`. */
  close(lane: string): Promise<void> {
    return dropBranches(lane, { records: this.#records, stores: this.#deps.stores });
  }

  /** After a crash: drops what lanes had that are no more. One that fails stays for next time. */
  async recover(openLanes: readonly string[]): Promise<void> {
    const ended = this.#records.lanes().filter((lane) => !openLanes.includes(lane));
    await Promise.allSettled(ended.map((lane) => this.close(lane)));
  }

  /** Every datastore, with the lanes that have their own. */
  status(): Promise<StoreStatus[]> {
    const { config, stores } = this.#deps;
    const entries = Object.entries(config.datastores);
    return Promise.all(
      entries.map(async ([store, storeConfig]) => {
        const adapter = stores[storeKind(storeConfig)];
        // An unreachable server cannot show its template; the rest is known.
        const template = await adapter.template?.(storeConfig).catch(() => undefined);
        const lanes = this.#recordsOf(store).map(({ lane }) => lane);
        return { store, kind: storeConfig.kind, template: template ?? null, lanes };
      }),
    );
  }

  /** What drops the lane's branches when the daemon can't; null when it has and gets none. */
  reapCommand(lane: string, getsOwn = false): readonly string[] | null {
    const { reaper, directory } = this.#deps;
    if (!getsOwn && this.#records.of(lane).length === 0) return null;
    return [...reaper, directory, lane];
  }

  #recordsOf(store: string): BranchRecord[] {
    return this.#allRecords().filter((record) => record.store === store);
  }

  #recordsOfBranches(data: readonly LaneData[]): BranchRecord[] {
    return this.#allRecords().filter((record) =>
      data.some(({ store, branch }) => store === record.store && branch === record.branch),
    );
  }

  #allRecords(): BranchRecord[] {
    return this.#records.lanes().flatMap((lane) => [...this.#records.of(lane)]);
  }

  async #openStore(
    lane: string,
    store: string,
    config: StoreConfig,
    { modes, tree, below = [] }: DataRequest,
  ): Promise<LaneData> {
    const mode = modes[store] ?? 'shared';
    if (mode === 'shared' || !tree) {
      const shared = below.find((data) => data.store === store);
      return { store, mode: 'shared', branch: shared?.branch ?? null };
    }
    const { root, stores, confinement } = this.#deps;
    const note = (record: BranchRecord): void => this.#records.note(lane, record);
    const others = (): readonly BranchRecord[] => this.#recordsOf(store);
    const where = { root, tree, confinement };
    const branchRequest = { lane, store, config, mode, ...where, note, others };
    const made = await stores[storeKind(config)].create(branchRequest);
    note(made);
    return { store, mode, branch: made.branch };
  }
}

/**
 * A store that part of the lane's requests read and another part of them do not would show a lane
 * that no system ever was: what one service wrote, the next one would not find.
 */
function checkModes(
  config: Config,
  services: readonly string[],
  modes: Readonly<Record<string, DataMode>>,
): void {
  for (const [store, mode] of Object.entries(modes)) {
    if (!Object.hasOwn(config.datastores, store)) throw unknown(config, store);
    if (mode !== 'shared') checkUsers(config, services, store);
  }
}

function checkUsers(config: Config, services: readonly string[], store: string): void {
  const users = Object.entries(config.services)
    .filter(([, { stores }]) => stores.includes(store))
    .map(([service]) => service);
  if (users.length === 0) throw fault('DATA_BRANCH_UNUSED', { store });
  const outside = users.filter((service) => !services.includes(service));
  if (outside.length > 0) {
    throw fault('DATA_BRANCH_UNSAFE', { store, services: outside.join(', ') });
  }
}

function unknown(config: Config, store: string): Error {
  const known = Object.keys(config.datastores).join(', ') || 'none';
  return fault('DATASTORE_UNKNOWN', { store, known });
}
