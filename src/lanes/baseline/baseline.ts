import type { Confinement } from '../../confinement/index.ts';
import {
  type Act,
  type Actor,
  committedValue,
  type Fault,
  fault,
  isFault,
  type Json,
  leasePort,
  type MakeIdentifier,
} from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import { type Config, type ServiceConfig, startOrder, withOverlay } from '../../system/index.ts';
import type { ServiceStatus } from '../api-schema.ts';
import type { Trees, VersionTree } from '../change/trees.ts';
import { liveEnvironment } from '../data/index.ts';
import { isHealthy, waitUntilServes } from '../host/health.ts';
import type { Host, LogPart, LogRequest, RunningInstance } from '../host/host.ts';
import { instanceSpec, type Tagging } from '../host/instance.ts';
import type { SerialQueue } from '../lane/serial-queue.ts';
import { rememberRunningSecrets } from '../secrets/running-secrets.ts';
import { readSecrets } from '../secrets/secrets.ts';
import { inOrder } from './in-order.ts';
import type { Preparation } from './preparation.ts';
import { serviceStatus } from './service-status.ts';
import { type ServiceRow, startedServices, type VersionRow, versionKey } from './services.ts';

export interface BaselineDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly host: Host;
  readonly trees: Trees;
  /** Always what holds now. */
  readonly config: Config;
  /** Has it be that of another version. */
  readonly follow: (commit: string) => Promise<void>;
  /** Where surety.yaml stands; services run from there when there is no repository. */
  readonly root: string;
  readonly makeIdentifier: MakeIdentifier;
  /** Asked before services start: whatever they need to be reached must be there by then. */
  readonly tagging: () => Promise<Tagging>;
  readonly preparation: Preparation;
  readonly confinement: Confinement;
  /** Queued with promotions: a running promotion would restart what `down` stopped. */
  readonly promoting: SerialQueue;
  /** Tells the router what there is. */
  readonly publish: () => Promise<void>;
}

/** Which services, and in which of the ways that surety.yaml knows. */
export interface UpRequest {
  readonly overlay?: string | undefined;
}

interface Start {
  readonly tree: VersionTree;
  /** How its version describes the system. */
  readonly config: Config;
  readonly overlay: string | undefined;
}

/** The shared running version of the system. */
export class Baseline {
  readonly #deps: BaselineDeps;
  readonly #phases = new Map<string, string>();

  constructor(deps: BaselineDeps) {
    this.#deps = deps;
  }

  /** Starts the services that do not run yet, each after its dependencies. */
  async up(actor: Actor, { overlay }: UpRequest = {}): Promise<ServiceStatus[]> {
    const proposal = { actor, tool: 'system.up', arguments: overlay ? { overlay } : {} };
    return this.#change(proposal, async () => {
      await this.#deps.follow(await this.#newestCommit());
      this.#checkServices();
      const config = withOverlay(this.#deps.config, overlay ?? null);
      const wanted = await this.#wanted(config, overlay);
      if (wanted.length > 0) await this.#startAll(wanted, { config, overlay, actor });
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
      return started;
    });
  }

  /** The same version again; what changed in the user's checkout does not come along. */
  async restart(actor: Actor, service: string): Promise<ServiceStatus[]> {
    const { config, follow, publish } = this.#deps;
    const proposal = { actor, tool: 'system.restart', arguments: { service } };
    return this.#change(proposal, async () => {
      await follow((await this.#version()) ?? (await this.#newestCommit()));
      await publish();
      await this.#checkSecrets([[service, startable(config, service)]]);
      const row = (await this.#rows()).get(service);
      const tree = await this.#treeOf(service);
      await this.#stop(service, actor);
      await this.#start(service, { tree, config, actor, overlay: row?.overlay ?? undefined });
      return service;
    });
  }

  /** Starts the services again whose processes are lost, if they are still the running ones. */
  async revive(lost: ReadonlySet<string>): Promise<void> {
    for (const [service, { name }] of await this.#rows()) {
      const isCurrent = (await this.#rows()).get(service)?.name === name;
      if (lost.has(name) && isCurrent) await this.restart('surety:keeper', service);
    }
  }

  /** What a service wrote, secrets removed. */
  async readLog(service: string, wanted: LogRequest): Promise<LogPart> {
    this.#service(service);
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
    const old = (await this.#rows()).get(service);
    const isDone = old?.commit === tree.commit && (await this.#running()).has(service);
    if (isDone) return;
    const own = startable(described, service);
    const start = { tree, config: described, overlay: old?.overlay ?? undefined };
    // Who can't be asked which version it is, can't be seen to have taken over.
    const canTell = own.tagging === 'preload' && own.protocol !== 'tcp';
    if (!canTell) return this.#replace(service, { ...start, actor });
    const started = await this.#launch(service, start);
    try {
      await waitUntilServes(own, started);
    } catch (error) {
      await this.#deps.host.stop(started.name);
      throw error;
    }
    await this.#deps.ledger.append({ kind: 'service-started', actor, body: started });
    if (old && (await this.#deps.host.states()).has(old.name)) {
      await this.#deps.host.stop(old.name);
    }
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
    await this.#moveTo(tree.commit, actor);
    await this.#deps.follow(tree.commit);
    await this.#deps.publish();
  }

  /** The version of the system that runs: what a new change is made for. */
  async version(): Promise<string> {
    const services = Object.values(this.#deps.config.services);
    const isElsewhere = services.some((service) => service.isElsewhere);
    const commit = (await this.#version()) ?? (isElsewhere && (await this.#deps.trees.head()));
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

  /** What does not run yet; with an overlay also what runs in another way. */
  async #wanted(config: Config, overlay: string | undefined): Promise<string[]> {
    const running = await this.#running();
    const rows = await this.#rows();
    return startOrder(config.services).order.filter((name) => {
      if (config.services[name]?.isElsewhere) return false;
      if (!running.has(name)) return true;
      const isOther = overlay !== undefined && (rows.get(name)?.overlay ?? null) !== overlay;
      return isOther && config.services[name] !== this.#deps.config.services[name];
    });
  }

  /** What can be known to go wrong is known before anything is started. */
  async #startAll(
    wanted: readonly string[],
    { config, overlay, actor }: { config: Config; overlay: string | undefined; actor: Actor },
  ): Promise<void> {
    const { preparation, publish } = this.#deps;
    await this.#checkSecrets(wanted.map((name) => [name, config.services[name] as ServiceConfig]));
    for (const service of wanted) await this.#stop(service, actor);
    await Promise.all(wanted.map((service) => this.#checkPort(this.#service(service))));
    const tree = await this.#newestTree();
    await this.#moveTo(tree.commit, actor);
    await publish();
    await preparation.stores(config, tree);
    const dependsOn = (name: string): readonly string[] => config.services[name]?.dependsOn ?? [];
    const start = { tree, config: this.#deps.config, actor, overlay };
    await inOrder(wanted, dependsOn, (service) => this.#start(service, start));
  }

  async #checkSecrets(services: readonly (readonly [string, ServiceConfig])[]): Promise<void> {
    const { root } = this.#deps;
    const reads = services.map(([service, { secrets: references }]) =>
      readSecrets({ service, references, root }),
    );
    await Promise.all(reads);
  }

  /** Versions of one service may share its port; a stranger would silently get half of it. */
  async #checkPort({ port }: Pick<ServiceConfig, 'port'>): Promise<void> {
    if (await isHealthy({ port })) throw portTaken(port);
  }

  async #start(service: string, { actor, ...start }: Start & { actor: Actor }): Promise<void> {
    const { port } = findService(start.config, service);
    // Until it listens: of two systems that want the same port at once, one starts.
    const lease = await leasePort(port, 'starting');
    try {
      if (!lease) throw portTaken(port);
      await this.#checkPort({ port });
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
    const { host, tagging, makeIdentifier, preparation } = this.#deps;
    const { tree, overlay } = start;
    const config = withOverlay(start.config, overlay ?? null);
    const own = config.services[service] as ServiceConfig;
    const run = makeIdentifier('run');
    const instance = `${service}/baseline/${run}`;
    const name = `${service}.${run}`;
    try {
      this.#phases.set(service, 'it is being prepared');
      const { confinement } = this.#deps;
      const isConfined = confinement.confinesBaseline;
      await preparation.service({ service, config: own, tree, isConfined });
      this.#phases.set(service, 'it is not healthy yet');
      const environment = liveEnvironment(config, service);
      const confined = isConfined ? { confined: confinement.inherited() } : {};
      const known = { service, config: own, tree, instance, name, environment, ...confined };
      const spec = instanceSpec({ ...known, tagging: await tagging() });
      const { pid } = await host.start({ ...spec, log: service });
      const commit = tree.commit || null;
      return { service, instance, name, commit, port: own.port, overlay: overlay ?? null, pid };
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

  async #version(): Promise<string | undefined> {
    return (await readRow<VersionRow>(this.#deps.ledger, versionKey))?.commit;
  }

  async #moveTo(commit: string, actor: Actor): Promise<void> {
    if (commit === '' || (await this.#version()) === commit) return;
    await this.#deps.ledger.append({ kind: 'baseline-moved', actor, body: { commit } });
  }

  async #treeOf(service: string): Promise<VersionTree> {
    const commit = (await this.#rows()).get(service)?.commit;
    return commit ? this.#deps.trees.open(commit) : this.#newestTree();
  }

  /**
   * What is checked out, or what was promoted on top of it; without a repository, the directory
   * itself.
   */
  async #newestTree(): Promise<VersionTree> {
    const { trees, root } = this.#deps;
    const commit = await this.#newestCommit();
    return commit === '' ? { commit, root, top: root } : trees.open(commit);
  }

  async #newestCommit(): Promise<string> {
    const { trees } = this.#deps;
    try {
      const head = await trees.head();
      const promoted = await this.#version();
      const isAhead = promoted !== undefined && (await trees.isAncestor(head, promoted));
      return isAhead ? promoted : head;
    } catch (error) {
      if (!isFault(error, 'GIT_FAILED')) throw error;
      return '';
    }
  }

  #service(service: string): ServiceConfig {
    return findService(this.#deps.config, service);
  }

  #checkServices(): void {
    if (Object.keys(this.#deps.config.services).length > 0) return;
    throw fault('SYSTEM_EMPTY', { path: 'surety.yaml' });
  }
}

function findService({ services }: Config, service: string): ServiceConfig {
  const found = Object.hasOwn(services, service) ? services[service] : undefined;
  if (found) return found;
  throw fault('SERVICE_UNKNOWN', { service, known: Object.keys(services).join(', ') || 'none' });
}

function portTaken(port: number): Fault {
  return fault('PORT_TAKEN', { port, host: '127.0.0.1' });
}

function startable(system: Config, service: string): ServiceConfig {
  const config = findService(system, service);
  if (!config.isElsewhere) return config;
  throw fault('SERVICE_ELSEWHERE', { service, address: `${config.host}:${config.port}` });
}
