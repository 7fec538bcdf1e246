import {
  type Act,
  type Actor,
  committedValue,
  fault,
  type Json,
  leasePort,
} from '../../kernel/index.ts';
import { type Config, type ServiceConfig, startOrder, withOverlay } from '../../system/index.ts';
import type { ServiceStatus } from '../api-schema.ts';
import type { VersionTree } from '../change/trees.ts';
import { liveEnvironment } from '../data/index.ts';
import { waitUntilServes } from '../host/health.ts';
import type { LogPart, LogRequest, RunningInstance } from '../host/host.ts';
import { instanceSpec } from '../host/instance.ts';
import { rememberRunningSecrets } from '../secrets/running-secrets.ts';
import type { BaselineDeps } from './baseline-deps.ts';
import { inOrder } from './in-order.ts';
import { liveCommit, moveTo, newestCommit, newestTree } from './newest-version.ts';
import { serviceStatus } from './service-status.ts';
import { type ServiceRow, startedServices } from './services.ts';
import {
  checkAny,
  checkPort,
  checkSecrets,
  findService,
  portTaken,
  startable,
} from './start-checks.ts';
import {
  checkPreload,
  hasPreload,
  noTagging,
  type StartWay,
  type UpRequest,
  upArguments,
  wayOf,
} from './start-way.ts';

interface Start extends StartWay {
  readonly tree: VersionTree;
  /** How its version describes the system. */
  readonly config: Config;
  /** Its install and build are done. */
  readonly isPrepared?: boolean;
}

/** The shared running version of the system. */
export class Baseline {
  readonly #deps: BaselineDeps;
  readonly #phases = new Map<string, string>();

  constructor(deps: BaselineDeps) {
    this.#deps = deps;
  }

  /** Starts the services that do not run yet, each after its dependencies. */
  async up(actor: Actor, request: UpRequest = {}): Promise<ServiceStatus[]> {
    const { overlay = null, isWithoutPreload = false } = request;
    const way = { overlay, isWithoutPreload };
    const proposal = { actor, tool: 'system.up', arguments: upArguments(request) };
    return this.#change(proposal, async () => {
      await this.#deps.follow(await newestCommit(this.#deps));
      checkAny(this.#deps.config);
      const config = withOverlay(this.#deps.config, overlay);
      if (isWithoutPreload) checkPreload(config);
      const wanted = await this.#wanted(config, way);
      if (wanted.length > 0) await this.#startAll(wanted, { ...way, config, actor });
      return wanted;
    });
  }

  /** Stops each service before its dependencies. */
  async down(actor: Actor): Promise<ServiceStatus[]> {
    const { config } = this.#deps;
    const proposal = { actor, tool: 'system.down', arguments: {} };
    return this.#change(proposal, async () => {
      const rows = await this.#rows();
      const started = startOrder(config.services).order.filter((name) => rows.has(name));
      const dependants = (name: string): string[] =>
        started.filter((other) => config.services[other]?.dependsOn.includes(name));
      await inOrder(started.toReversed(), dependants, (name) => this.#stop(name, actor));
      await this.#deps.storeProcesses.stop();
      return started;
    });
  }

  /** The same version again; what changed in the user's checkout does not come along. */
  async restart(actor: Actor, service: string): Promise<ServiceStatus[]> {
    const { config, follow, publish } = this.#deps;
    const proposal = { actor, tool: 'system.restart', arguments: { service } };
    return this.#change(proposal, async () => {
      await follow((await liveCommit(this.#deps)) ?? (await newestCommit(this.#deps)));
      await publish();
      await checkSecrets([[service, startable(config, service)]], this.#deps.root);
      const way = wayOf((await this.#rows()).get(service));
      const tree = await this.#treeOf(service);
      await this.#stop(service, actor);
      await this.#start(service, { ...way, tree, config, actor });
      return service;
    });
  }

  /**
   * Starts the services again whose processes are lost, if they are still the running ones, each
   * after its dependencies. Tries all of them before it throws.
   */
  async revive(lost: ReadonlySet<string>): Promise<void> {
    const failures: unknown[] = [];
    const rows = await this.#rows();
    for (const service of startOrder(this.#deps.config.services).order) {
      const name = rows.get(service)?.name;
      if (name === undefined || !lost.has(name)) continue;
      await this.#revive(service, name).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** The host forgets the lost process last: until then it is seen that it has to be revived. */
  async #revive(service: string, name: string): Promise<void> {
    const { config, host, follow, publish } = this.#deps;
    const actor = 'surety:keeper';
    const proposal = { actor, tool: 'system.restart', arguments: { service } } as const;
    await this.#change(proposal, async () => {
      const row = (await this.#rows()).get(service);
      if (row?.name !== name) return service;
      await follow((await liveCommit(this.#deps)) ?? (await newestCommit(this.#deps)));
      await publish();
      const tree = await this.#treeOf(service);
      await this.#start(service, { ...wayOf(row), tree, config, actor });
      await host.stop(name);
      return service;
    });
  }

  /** What a service wrote, secrets removed. */
  async readLog(service: string, wanted: LogRequest): Promise<LogPart> {
    findService(this.#deps.config, service);
    return this.#deps.host.readLog(service, wanted);
  }

  /**
   * Puts a new version of a service in the place of the running one: both listen on its port until
   * the new one is seen to serve, and only then the old one is asked to leave.
   */
  async swap(
    service: string,
    { tree, config: described }: Pick<Start, 'tree' | 'config'>,
    actor: Actor,
  ): Promise<void> {
    const { host, ledger } = this.#deps;
    const old = (await this.#rows()).get(service);
    const isDone = old?.commit === tree.commit && (await this.#running()).has(service);
    if (isDone) return;
    const own = startable(described, service);
    const start = { ...wayOf(old), tree, config: described };
    // Who can't be asked which version it is, can't be seen to have taken over.
    const canTell = hasPreload(own, start) && own.protocol !== 'tcp';
    if (!canTell) return this.#replace(service, { ...start, actor });
    const started = await this.#launch(service, start);
    try {
      await waitUntilServes(own, started);
    } catch (error) {
      await host.stop(started.name);
      throw error;
    }
    await ledger.append({ kind: 'service-started', actor, body: started });
    if (old && (await host.states()).has(old.name)) await host.stop(old.name);
  }

  /** After a crash: ends instances that were being started and are not recorded anywhere. */
  async recover(): Promise<void> {
    const names = new Set([...(await this.#rows()).values()].map(({ name }) => name));
    const services = Object.keys(this.#deps.config.services);
    const running = await this.#deps.host.running();
    rememberRunningSecrets(this.#deps.config, running.values());
    for (const name of running.keys()) {
      const [service = '', run = ''] = name.split('.');
      const isOurs = services.includes(service) && run.startsWith('run_');
      if (isOurs && !names.has(name)) await this.#deps.host.stop(name);
    }
  }

  /** Brings these live stores to what the version needs. */
  async migrate(tree: VersionTree, stores: readonly string[]): Promise<void> {
    const { config, preparation } = this.#deps;
    const wanted = Object.entries(config.datastores).filter(([name]) => stores.includes(name));
    await preparation.stores({ ...config, datastores: Object.fromEntries(wanted) }, tree);
  }

  /** Also how it is described, and so where requests enter, is from now on what it says. */
  async moveTo(tree: VersionTree, actor: Actor): Promise<void> {
    await moveTo(this.#deps, tree.commit, actor);
    await this.#deps.follow(tree.commit);
    await this.#deps.publish();
  }

  /** The version of the system that runs: what a new change is made for. */
  async version(): Promise<string> {
    const services = Object.values(this.#deps.config.services);
    const isElsewhere = services.some((service) => service.isElsewhere);
    const commit =
      (await liveCommit(this.#deps)) ?? (isElsewhere && (await this.#deps.trees.head()));
    if (commit && (isElsewhere || (await this.#running()).size > 0)) return commit;
    throw fault('SYSTEM_NOT_RUNNING', {});
  }

  /** Of these services, or of all; each is asked how it is. */
  async status(wanted?: readonly string[]): Promise<ServiceStatus[]> {
    const rows = await this.#rows();
    const states = await this.#deps.host.states();
    const all = Object.entries(this.#deps.config.services);
    const own = all.filter(([service]) => wanted?.includes(service) ?? true);
    const services = own.map(([service, config]) => {
      const row = rows.get(service);
      const instance = row && states.get(row.name);
      return serviceStatus(service, { config, row, instance, phase: this.#phases.get(service) });
    });
    return Promise.all(services);
  }

  async #change(
    proposal: Parameters<Act>[0],
    effect: () => Promise<Json>,
  ): Promise<ServiceStatus[]> {
    const { act, promoting } = this.#deps;
    committedValue(await act(proposal, () => promoting.run(effect)));
    return this.status();
  }

  /** What does not run yet; with an overlay, or without the preload, also what runs otherwise. */
  async #wanted(config: Config, { overlay, isWithoutPreload }: StartWay): Promise<string[]> {
    const running = await this.#running();
    const rows = await this.#rows();
    return startOrder(config.services).order.filter((name) => {
      const service = config.services[name] as ServiceConfig;
      if (service.isElsewhere) return false;
      if (!running.has(name)) return true;
      const way = wayOf(rows.get(name));
      if (isWithoutPreload && hasPreload(service, way)) return true;
      const isOther = overlay !== null && way.overlay !== overlay;
      return isOther && service !== this.#deps.config.services[name];
    });
  }

  /** What can be known to go wrong is known before anything is started. */
  async #startAll(
    wanted: readonly string[],
    { config, actor, ...way }: StartWay & { config: Config; actor: Actor },
  ): Promise<void> {
    const { preparation, publish, storeProcesses } = this.#deps;
    const own = wanted.map((name) => [name, config.services[name] as ServiceConfig] as const);
    await checkSecrets(own, this.#deps.root);
    for (const service of wanted) await this.#stop(service, actor);
    await Promise.all(wanted.map((service) => checkPort(findService(config, service))));
    const tree = await newestTree(this.#deps);
    await moveTo(this.#deps, tree.commit, actor);
    await publish();
    await storeProcesses.start(config);
    await preparation.stores(config, tree);
    const dependsOn = (name: string): readonly string[] => config.services[name]?.dependsOn ?? [];
    const start = { ...way, tree, config: this.#deps.config, actor };
    const prepared = await this.#prepareAll(wanted, start);
    await inOrder(wanted, dependsOn, async (service) => {
      await prepared.get(service);
      await this.#start(service, { ...start, isPrepared: true });
    });
  }

  /**
   * Resolves when all are prepared or have failed. A service may ask for others when it starts: the
   * time that it has for this must not pass while these are built.
   */
  async #prepareAll(
    services: readonly string[],
    start: Start,
  ): Promise<ReadonlyMap<string, Promise<void>>> {
    const prepared = new Map(services.map((service) => [service, this.#prepare(service, start)]));
    await Promise.allSettled(prepared.values());
    return prepared;
  }

  async #prepare(service: string, { tree, config, overlay }: Start): Promise<void> {
    const { confinement, preparation } = this.#deps;
    const own = withOverlay(config, overlay).services[service] as ServiceConfig;
    const isConfined = confinement.confinesBaseline;
    this.#phases.set(service, 'it is being prepared');
    try {
      await preparation.service({ service, config: own, tree, isConfined });
    } finally {
      this.#phases.delete(service);
    }
  }

  async #start(service: string, { actor, ...start }: Start & { actor: Actor }): Promise<void> {
    const { port } = findService(start.config, service);
    // Until it listens: of two systems that want the same port at once, one starts.
    const lease = await leasePort(port, 'starting');
    try {
      if (!lease) throw portTaken(port);
      await checkPort({ port });
      const started = await this.#launch(service, start);
      await this.#deps.ledger.append({ kind: 'service-started', actor, body: started });
    } finally {
      lease?.release();
    }
  }

  /** For what cannot share its port with its next version. */
  async #replace(service: string, start: Start & { actor: Actor }): Promise<void> {
    const old = (await this.#rows()).get(service);
    await this.#stop(service, start.actor);
    try {
      await this.#start(service, start);
    } catch (error) {
      const before = old?.commit && (await this.#deps.trees.open(old.commit));
      const { config } = this.#deps;
      if (before) await this.#start(service, { ...start, config, tree: before });
      throw error;
    }
  }

  async #launch(service: string, start: Start): Promise<ServiceRow & { pid: number }> {
    const { host, tagging, makeIdentifier, confinement } = this.#deps;
    const { tree, overlay, isPrepared = false } = start;
    const config = withOverlay(start.config, overlay);
    const own = config.services[service] as ServiceConfig;
    const run = makeIdentifier('run');
    const instance = `${service}/baseline/${run}`;
    const name = `${service}.${run}`;
    if (!isPrepared) await this.#prepare(service, start);
    try {
      this.#phases.set(service, 'it is not healthy yet');
      const environment = liveEnvironment(config, service);
      const confined = confinement.confinesBaseline ? { confined: confinement.inherited() } : {};
      const known = { service, config: own, tree, instance, name, environment, ...confined };
      const isBare = own.tagging === 'preload' && start.isWithoutPreload;
      const spec = instanceSpec({ ...known, tagging: isBare ? noTagging : await tagging() });
      const { pid } = await host.start({ ...spec, log: service });
      const commit = tree.commit || null;
      return { service, instance, name, commit, port: own.port, ...wayOf(start), pid };
    } finally {
      this.#phases.delete(service);
    }
  }

  /** Also one that crashed: it must not come back by itself. */
  async #stop(service: string, actor: Actor): Promise<void> {
    const row = (await this.#rows()).get(service);
    if (!row) return;
    if ((await this.#deps.host.states()).has(row.name)) await this.#deps.host.stop(row.name);
    await this.#deps.ledger.append({ kind: 'service-stopped', actor, body: { ...row } });
  }

  /** Those services of the ledger whose process is there. */
  async #running(): Promise<Map<string, RunningInstance>> {
    const processes = await this.#deps.host.running();
    const rows = await this.#rows();
    return new Map(
      [...rows].flatMap(([service, { name }]) => {
        const process = processes.get(name);
        return process ? [[service, process] as const] : [];
      }),
    );
  }

  async #rows(): Promise<Map<string, ServiceRow>> {
    return startedServices(this.#deps.ledger);
  }

  async #treeOf(service: string): Promise<VersionTree> {
    const commit = (await this.#rows()).get(service)?.commit;
    return commit ? this.#deps.trees.open(commit) : newestTree(this.#deps);
  }
}
