import {
  type Act,
  type Actor,
  committedValue,
  fault,
  isFault,
  type JsonObject,
  type MakeIdentifier,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type Config, type ServiceConfig, startOrder } from '../system/index.ts';
import type { Host } from './host.ts';
import { instanceSpec, type Tagging } from './instance.ts';
import { type ServiceRow, servicePrefix } from './services.ts';
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
      const tree = await this.#openTree();
      const running = await this.#deps.host.running();
      const wanted = startOrder(config.services).order.filter((name) => !running.has(name));
      for (const service of wanted) await this.#start(service, tree, actor);
      return wanted;
    });
    committedValue(outcome);
    return this.status();
  }

  async down(actor: Actor): Promise<ServiceStatus[]> {
    const { act, config } = this.#deps;
    const outcome = await act({ actor, tool: 'system.down', arguments: {} }, async () => {
      const running = await this.#deps.host.running();
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
      if ((await this.#deps.host.running()).has(service)) await this.#stop(service, actor);
      await this.#start(service, tree, actor);
      return service;
    });
    committedValue(outcome);
    return this.status();
  }

  /** The version of the system that runs: what a new change is made for. */
  async version(): Promise<string> {
    for (const { commit } of (await this.#rows()).values()) if (commit) return commit;
    throw fault('SYSTEM_NOT_RUNNING', {});
  }

  async status(): Promise<ServiceStatus[]> {
    const running = await this.#deps.host.running();
    const rows = await this.#rows();
    return Object.entries(this.#deps.config.services).map(([service, { port }]) => {
      const process = running.get(service);
      const { instance = null, commit = null } = (process && rows.get(service)) || {};
      const state = process ? 'running' : 'stopped';
      return { service, port, state, pid: process?.pid ?? null, instance, commit };
    });
  }

  async #start(service: string, tree: Tree, actor: Actor): Promise<void> {
    const { host, ledger, tagging, makeIdentifier } = this.#deps;
    const config = this.#service(service);
    const instance = `${service}/baseline/${makeIdentifier('run')}`;
    const request = { service, config, tree, instance, name: service, tagging: await tagging() };
    const spec = instanceSpec(request);
    const { pid } = await host.start(spec);
    const body = { service, instance, commit: tree.commit || null, port: config.port, pid };
    await ledger.append({ kind: 'service-started', actor, body });
  }

  async #stop(service: string, actor: Actor): Promise<void> {
    await this.#deps.host.stop(service);
    const rows = await this.#rows();
    const body: JsonObject = { ...(rows.get(service) ?? { service, instance: '' }) };
    await this.#deps.ledger.append({ kind: 'service-stopped', actor, body });
  }

  async #rows(): Promise<Map<string, ServiceRow>> {
    const rows = new Map<string, ServiceRow>();
    for await (const { value } of this.#deps.ledger.rows<ServiceRow>(servicePrefix)) {
      rows.set(value.service, value);
    }
    return rows;
  }

  async #treeOf(service: string): Promise<Tree> {
    const commit = (await this.#rows()).get(service)?.commit;
    return commit ? this.#deps.trees.open(commit) : this.#openTree();
  }

  /** The version that the repository has checked out; without one, the directory itself. */
  async #openTree(): Promise<Tree> {
    const { trees, root } = this.#deps;
    try {
      return await trees.open(await trees.head());
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
