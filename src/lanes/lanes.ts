import {
  type Act,
  type Actor,
  type Clock,
  committedValue,
  fault,
  limits,
  type MakeIdentifier,
} from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config, ServiceConfig } from '../system/index.ts';
import { applyChange, type Change, type ChangeRequest } from './change.ts';
import type { DataBranches, DataMode, LaneData } from './data/index.ts';
import { freePort } from './free-port.ts';
import type { Host } from './host.ts';
import { instanceSpec, type Tagging } from './instance.ts';
import { type Candidate, type Lane, laneKey, lanePrefix } from './lane.ts';
import { type Routes, routeTable } from './routes.ts';
import type { Tree, Trees } from './trees.ts';

export interface LanesDeps {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly host: Host;
  readonly trees: Trees;
  readonly routes: Routes;
  readonly config: Config;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  readonly tagging: () => Promise<Tagging>;
  readonly data: DataBranches;
}

export interface OpenLane {
  /** Without a patch nothing is changed: a lane on the baseline itself, to compare with. */
  readonly patch?: string | undefined;
  readonly base: string;
  readonly ttlMs?: number | undefined;
  /** By datastore; those that are not named are shared. */
  readonly data?: Readonly<Record<string, DataMode>> | undefined;
  /** Belongs to the run that opens it, and ends with it at the latest. */
  readonly transient?: boolean;
}

/** Opens and closes lanes; what is open is in the ledger, so it survives the daemon. */
export class Lanes {
  readonly #deps: LanesDeps;
  #isReaping = false;

  constructor(deps: LanesDeps) {
    this.#deps = deps;
  }

  async open(actor: Actor, request: OpenLane): Promise<Lane> {
    const { act, makeIdentifier } = this.#deps;
    const lane = makeIdentifier('lane');
    const { patch = null, base, ttlMs = limits.laneMs, transient = false, data = {} } = request;
    const proposal = { actor, tool: 'lane.open', arguments: { lane, patch, base, ttlMs, data } };
    const outcome = await act(proposal, async () => {
      const wanted = { patch: patch ?? undefined, base, ttlMs, transient, data };
      const opened = await this.#start(lane, actor, wanted);
      await this.publish();
      return opened;
    });
    committedValue(outcome);
    return this.find(lane);
  }

  async close(actor: Actor, lane: string): Promise<void> {
    const found = await this.find(lane);
    const proposal = { actor, tool: 'lane.close', arguments: { lane } };
    committedValue(await this.#deps.act(proposal, () => this.#end(found, actor)));
  }

  async list(): Promise<Lane[]> {
    const lanes: Lane[] = [];
    for await (const { value } of this.#deps.ledger.rows<Lane>(lanePrefix)) lanes.push(value);
    return lanes;
  }

  async find(lane: string): Promise<Lane> {
    for await (const { key, value } of this.#deps.ledger.rows<Lane>(laneKey(lane))) {
      if (key === laneKey(lane)) return value;
    }
    throw fault('LANE_CLOSED', { lane });
  }

  /** Ends the lanes whose time is over; the keeper has ended their processes already. */
  async reap(): Promise<void> {
    if (this.#isReaping) return;
    this.#isReaping = true;
    try {
      const now = this.#deps.clock.now();
      const over = (await this.list()).filter(({ expiresAt }) => expiresAt <= now);
      for (const { lane } of over) await this.close('surety:lanes', lane);
    } finally {
      this.#isReaping = false;
    }
  }

  /**
   * After a crash: ends what was being opened, and the lanes of runs that died with the daemon.
   * What people opened stays open.
   */
  async recover(): Promise<void> {
    const lanes = await this.list();
    const known = new Set(lanes.flatMap(({ candidates }) => candidates.map(({ name }) => name)));
    for (const name of (await this.#deps.host.running()).keys()) {
      if (/^lane_\w+\./.test(name) && !known.has(name)) await this.#deps.host.stop(name);
    }
    for (const { lane, transient } of lanes) if (transient) await this.close('surety:lanes', lane);
    const open = (await this.list()).map(({ lane }) => lane);
    await this.#deps.data.recover(open);
    await this.#deps.trees.keepOnly(open);
    if (lanes.length > 0) await this.publish();
  }

  /** Tells the router what the ledger says: after a restart of either, or when a lane changed. */
  async publish(): Promise<void> {
    const { routes, config } = this.#deps;
    await routes.publish(routeTable(config, await this.list()));
  }

  async #start(
    lane: string,
    actor: Actor,
    { patch, base, ttlMs, transient, data: modes }: Required<OpenLane> & { ttlMs: number },
  ): Promise<Change['services']> {
    const { ledger, clock } = this.#deps;
    const { change, tree } = await this.#apply(lane, { patch, base });
    const candidates: Candidate[] = [];
    let data: readonly LaneData[] = [];
    try {
      const services = change?.services ?? [];
      if (tree) data = await this.#deps.data.open(lane, { services, modes: modes ?? {}, tree });
      for (const service of services) {
        candidates.push(await this.#startCandidate(lane, service, tree as Tree, ttlMs));
      }
      const expiresAt = clock.now() + ttlMs;
      const about = { change: change?.change ?? null, base, transient };
      const body = { lane, ...about, candidates, data, expiresAt };
      await ledger.append({ kind: 'lane-opened', actor, body });
    } catch (error) {
      await this.#sweep(lane, candidates);
      throw error;
    }
    return change?.services ?? [];
  }

  async #apply(
    lane: string,
    { patch, base }: { patch: string | undefined; base: string },
  ): Promise<{ change?: Change; tree?: Tree }> {
    if (patch === undefined) return {};
    const { trees, config } = this.#deps;
    return applyChange({ patch, base } satisfies ChangeRequest, { trees, config, name: lane });
  }

  async #startCandidate(
    lane: string,
    service: string,
    tree: Tree,
    leaseMs: number,
  ): Promise<Candidate> {
    const { host, config, makeIdentifier } = this.#deps;
    const port = await freePort();
    const instance = `${service}/${lane}/${makeIdentifier('run')}`;
    const name = `${lane}.${service}`;
    const tagging = await this.#deps.tagging();
    const serviceConfig = config.services[service] as ServiceConfig;
    const request = {
      service,
      config: serviceConfig,
      tree,
      instance,
      name,
      tagging,
      port,
      leaseMs,
    };
    const environment = this.#deps.data.environment(lane, service);
    await host.start(instanceSpec({ ...request, environment }));
    return { service, instance, name, port };
  }

  /** The route first: nothing is sent to what is about to end. */
  async #end({ lane, candidates }: Lane, actor: Actor): Promise<string> {
    const { routes, config, ledger } = this.#deps;
    const others = (await this.list()).filter((other) => other.lane !== lane);
    await routes.publish(routeTable(config, others));
    await this.#sweep(lane, candidates);
    await routes.forget(lane);
    await ledger.append({ kind: 'lane-closed', actor, body: { lane } });
    return lane;
  }

  async #sweep(lane: string, candidates: readonly Candidate[]): Promise<void> {
    const running = await this.#deps.host.running();
    for (const { name } of candidates) {
      if (running.has(name)) await this.#deps.host.stop(name);
    }
    await this.#deps.data.close(lane);
    await this.#deps.trees.remove(lane);
  }
}
