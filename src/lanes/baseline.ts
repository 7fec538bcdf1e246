import {
  type Act,
  type Actor,
  committedValue,
  fault,
  isFault,
  type MakeIdentifier,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type Config, type ServiceConfig, startOrder } from '../system/index.ts';
import { isHealthy, waitUntilServes } from './health.ts';
import type { Host, RunningInstance } from './host.ts';
import { instanceSpec, type Tagging } from './instance.ts';
import { type ServiceRow, servicePrefix, type VersionRow, versionKey } from './services.ts';
import type { Tree, Trees } from './trees.ts';

export interface BaselineDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly host: Host;
  readonly trees: Trees;
  readonly config: Config;
  /** Where surety.yaml stands; services run from there when there is no repository. */
  readonly root: string;
  readonly makeIdentifier: MakeIdentifier;
  /** Asked before services start: whatever they need to be reached must be there by then. */
  readonly tagging: () => Promise<Tagging>;
}

export type ServiceStatus = {
  readonly service: string;
  readonly port: number;
  readonly state: 'running' | 'stopped';
  readonly pid: number | null;
  readonly instance: string | null;
  readonly commit: string | null;
};

/** The shared running version of the system. */
export class Baseline {
  readonly #deps: BaselineDeps;

  constructor(deps: BaselineDeps) {
    this.#deps = deps;
  }

  /** Starts what does not run yet, each service after those that it depends on. */
  async up(actor: Actor): Promise<ServiceStatus[]> {
    const { act, config } = this.#deps;
    this.#checkServices();
    const outcome = await act({ actor, tool: 'system.up', arguments: {} }, async () => {
      const running = await this.#running();
      const wanted = startOrder(config.services).order.filter((name) => !running.has(name));
      if (wanted.length === 0) return wanted;
      const tree = await this.#newestTree();
      await this.#moveTo(tree.commit, actor);
      for (const service of wanted) await this.#start(service, tree, actor);
      return wanted;
    });
    committedValue(outcome);
    return this.status();
  }

  async down(actor: Actor): Promise<ServiceStatus[]> {
    const { act, config } = this.#deps;
    const outcome = await act({ actor, tool: 'system.down', arguments: {} }, async () => {
      const running = await this.#running();
      const order = startOrder(config.services).order.filter((name) => running.has(name));
      for (const service of order.toReversed()) await this.#stop(service, actor);
      return [...order];
    });
    committedValue(outcome);
    return this.status();
  }

  /** The same version again; what changed in the user's checkout does not come along. */
  async restart(actor: Actor, service: string): Promise<ServiceStatus[]> {
    const { act } = this.#deps;
    this.#service(service);
    const proposal = { actor, tool: 'system.restart', arguments: { service } };
    const outcome = await act(proposal, async () => {
      const tree = await this.#treeOf(service);
      if ((await this.#running()).has(service)) await this.#stop(service, actor);
      await this.#start(service, tree, actor);
      return service;
    });
    committedValue(outcome);
    return this.status();
  }

  /**
   * Puts a new version of a service in the place of the running one: both listen on its port until
   * the new one is seen to serve, and only then the old one is asked to leave.
   */
  async swap(service: string, tree: Tree, actor: Actor): Promise<void> {
    const old = (await this.#rows()).get(service);
    const isDone = old?.commit === tree.commit && (await this.#running()).has(service);
    if (isDone) return;
    const started = await this.#launch(service, tree);
    const { port, health } = this.#service(service);
    try {
      await waitUntilServes(port, health, started);
    } catch (error) {
      await this.#deps.host.stop(started.name);
      throw error;
    }
    await this.#deps.ledger.append({ kind: 'service-started', actor, body: started });
    if (old && (await this.#deps.host.running()).has(old.name)) {
      await this.#deps.host.stop(old.name);
    }
  }

  /** After a crash: ends instances that were being started and are in nobody's books. */
  async recover(): Promise<void> {
    const names = new Set([...(await this.#rows()).values()].map(({ name }) => name));
    const services = Object.keys(this.#deps.config.services);
    for (const name of (await this.#deps.host.running()).keys()) {
      const [service = '', run = ''] = name.split('.');
      const isOurs = services.includes(service) && run.startsWith('run_');
      if (isOurs && !names.has(name)) await this.#deps.host.stop(name);
    }
  }

  async moveTo(tree: Tree, actor: Actor): Promise<void> {
    await this.#moveTo(tree.commit, actor);
  }

  /** The version of the system that runs: what a new change is made for. */
  async version(): Promise<string> {
    const commit = await this.#version();
    if (commit && (await this.#running()).size > 0) return commit;
    throw fault('SYSTEM_NOT_RUNNING', {});
  }

  async status(): Promise<ServiceStatus[]> {
    const running = await this.#running();
    const rows = await this.#rows();
    return Object.entries(this.#deps.config.services).map(([service, { port }]) => {
      const process = running.get(service);
      const { instance = null, commit = null } = (process && rows.get(service)) || {};
      const state = process ? 'running' : 'stopped';
      return { service, port, state, pid: process?.pid ?? null, instance, commit };
    });
  }

  async #start(service: string, tree: Tree, actor: Actor): Promise<void> {
    const { port } = this.#service(service);
    // Versions of one service may share its port; a stranger would silently get half the requests.
    if (await isHealthy(port, undefined)) throw fault('PORT_TAKEN', { port, host: '127.0.0.1' });
    const started = await this.#launch(service, tree);
    await this.#deps.ledger.append({ kind: 'service-started', actor, body: started });
  }

  async #launch(service: string, tree: Tree): Promise<ServiceRow & { pid: number }> {
    const { host, tagging, makeIdentifier } = this.#deps;
    const config = this.#service(service);
    const run = makeIdentifier('run');
    const instance = `${service}/baseline/${run}`;
    const name = `${service}.${run}`;
    const request = { service, config, tree, instance, name, tagging: await tagging() };
    const { pid } = await host.start({ ...instanceSpec(request), log: service });
    return { service, instance, name, commit: tree.commit || null, port: config.port, pid };
  }

  async #stop(service: string, actor: Actor): Promise<void> {
    const row = (await this.#rows()).get(service);
    if (!row) return;
    await this.#deps.host.stop(row.name);
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
    const rows = new Map<string, ServiceRow>();
    for await (const { value } of this.#deps.ledger.rows<ServiceRow>(servicePrefix)) {
      rows.set(value.service, value);
    }
    return rows;
  }

  async #version(): Promise<string | undefined> {
    for await (const { value } of this.#deps.ledger.rows<VersionRow>(versionKey)) {
      return value.commit;
    }
    return undefined;
  }

  async #moveTo(commit: string, actor: Actor): Promise<void> {
    if (commit === '' || (await this.#version()) === commit) return;
    await this.#deps.ledger.append({ kind: 'baseline-moved', actor, body: { commit } });
  }

  async #treeOf(service: string): Promise<Tree> {
    const commit = (await this.#rows()).get(service)?.commit;
    return commit ? this.#deps.trees.open(commit) : this.#newestTree();
  }

  /**
   * What is checked out, or what was promoted on top of it; without a repository, the directory
   * itself.
   */
  async #newestTree(): Promise<Tree> {
    const { trees, root } = this.#deps;
    try {
      const head = await trees.head();
      const promoted = await this.#version();
      const isAhead = promoted !== undefined && (await trees.isAncestor(head, promoted));
      return await trees.open(isAhead ? promoted : head);
    } catch (error) {
      if (!isFault(error, 'GIT_FAILED')) throw error;
      return { commit: '', root, top: root };
    }
  }

  #service(service: string): ServiceConfig {
    const { services } = this.#deps.config;
    const found = Object.hasOwn(services, service) ? services[service] : undefined;
    if (found) return found;
    throw fault('SERVICE_UNKNOWN', { service, known: Object.keys(services).join(', ') || 'none' });
  }

  #checkServices(): void {
    if (Object.keys(this.#deps.config.services).length > 0) return;
    throw fault('SYSTEM_EMPTY', { path: 'surety.yaml' });
  }
}
