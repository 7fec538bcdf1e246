import {
  type Act,
  type Actor,
  type Clock,
  committedValue,
  fault,
  type JsonObject,
} from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import type { Lane, LaneProgress, LaneRequest } from '../api-schema.ts';
import { startedServices, versionsInUse } from '../baseline/services.ts';
import {
  type ChangeDeps,
  type ChangeFacts,
  type ChangeRequest,
  diffOfChange,
  factsOf,
  prepareChange,
  prepareRunnable,
} from '../change/change.ts';
import { branchOf, servicesWith } from '../change/migrated-stores.ts';
import type { DataBranches, StoreRows } from '../data/index.ts';
import type { InstanceState } from '../host/host.ts';
import type { WatchedLines } from '../line-coverage/coverage-files.ts';
import { Ports } from '../routing/ports.ts';
import { createPublisher } from '../routing/publisher.ts';
import { type RoutedLane, type Routes, routeTable } from '../routing/routes.ts';
import { CallerFacts } from './caller-facts.ts';
import { type CallerCopy, chooseCallers } from './callers.ts';
import { findClosedLanes } from './closed-lanes.ts';
import { laneKey, lanePrefix } from './lane.ts';
import { LaneAdmission } from './lane-admission.ts';
import { endLane, holdLane, type OpenedLane, type OpeningDeps, startLane } from './lane-opening.ts';
import { type LanePlan, plannedStarts } from './lane-plan.ts';
import { type LaneUse, laneUse } from './lane-use.ts';
import { claimOf, isMeasured, type QuotaClaim } from './quotas.ts';

export interface LanesDeps
  extends ChangeDeps,
    Omit<OpeningDeps, 'ports' | 'tell' | 'announce' | keyof ChangeDeps> {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly routes: Routes;
  readonly clock: Clock;
}

/** Without a patch nothing is changed: a lane on the baseline itself, to compare with. */
export interface OpenLane extends Omit<LaneRequest, 'ref' | 'worktree' | 'control'> {
  readonly base: string;
  /** Branches of the stores that the change migrates, with all services that use them. */
  readonly branchesMigrated?: boolean;
  /** Belongs to the run that opens it, and ends with it at the latest. */
  readonly transient?: boolean;
  readonly controlOf?: string | undefined;
  /** The lines of which its candidates record whether they run, until their coverage is taken. */
  readonly watched?: WatchedLines | undefined;
  /** Exactly these callers are copied, in place of those that `callers` would choose. */
  readonly callerCopies?: readonly CallerCopy[] | undefined;
}

const reaper: Actor = 'surety:lanes';

/** Opens and closes lanes; what is open is in the ledger, so it survives the daemon. */
export class Lanes {
  readonly #deps: LanesDeps & { readonly ports: Ports };
  readonly #admission: LaneAdmission;
  readonly #stages = new Map<string, LaneProgress>();
  readonly #closing = new Set<string>();
  /** Lanes that are being opened, with what of them has started. */
  readonly #starting = new Map<string, RoutedLane>();
  /** What earlier lanes showed of unchanged services. */
  readonly callers = new CallerFacts();
  /** Tells the router what the ledger says: after a restart of either, or when a lane changed. */
  readonly publish: () => Promise<void>;
  #isReaping = false;

  constructor(deps: LanesDeps) {
    this.#deps = { ...deps, ports: new Ports() };
    this.#admission = new LaneAdmission(() => this.#claims());
    this.publish = createPublisher(async () => {
      const open = (await this.list()).filter(({ lane }) => !this.#closing.has(lane));
      const known = new Set(open.map(({ lane }) => lane));
      const starting = [...this.#starting.values()].filter(({ lane }) => !known.has(lane));
      await deps.routes.publish(routeTable(deps.config, [...open, ...starting]));
    });
  }

  /** Those that are on their way. */
  get opening(): readonly LaneProgress[] {
    return [...this.#stages.values()];
  }

  async open(actor: Actor, request: OpenLane): Promise<Lane> {
    const lane = this.#deps.makeIdentifier('lane');
    const plan = await this.#plan(lane, request);
    const { change = null } = plan.prepared ?? {};
    const facts = change ? { change: change.change, files: [...change.files] } : {};
    const proposal = { actor, tool: 'lane.open', facts, arguments: argumentsOf(plan, request) };
    const outcome = await this.#deps.act(proposal, () => this.#open(plan, actor));
    committedValue(outcome);
    return this.find(lane);
  }

  /** The services and the data that a lane would get; throws what opening it would. */
  async preview(
    request: OpenLane,
  ): Promise<Pick<OpenLane, 'services' | 'data'> & Required<Pick<OpenLane, 'callerCopies'>>> {
    const { starts, modes } = await this.#plan('', request);
    const compared = starts.filter(({ version }) => version !== 'caller');
    const callerCopies = starts
      .filter(({ version }) => version === 'caller')
      .map(({ service, why = '' }) => ({ service, why }));
    return { services: compared.map(({ service }) => service), data: modes, callerCopies };
  }

  /** What a change is that can be taken, whether or not something runs otherwise by it. */
  async factsOf(request: ChangeRequest): Promise<ChangeFacts> {
    return factsOf(await prepareChange(request, this.#deps));
  }

  /** A change in git's own words: what is read in it is what would be done. */
  diffOf(request: ChangeRequest, around?: number): Promise<string> {
    return diffOfChange(request, this.#deps.trees, around);
  }

  /** The addresses of the lane's data, with passwords: only for suites that inspect the data. */
  storeAddresses({ data }: Pick<Lane, 'data'>, stores: readonly string[]): Record<string, string> {
    return this.#deps.data.addresses(data, stores);
  }

  /** What its processes took until now; null if that is not known. */
  async useOf(lane: Lane): Promise<LaneUse | null> {
    const { host, clock } = this.#deps;
    const states = await host.states().catch(() => new Map<string, InstanceState>());
    return laneUse(lane, states, clock.now());
  }

  /** The content of the lane's own stores. */
  rows({ data }: Lane): Promise<readonly StoreRows[]> {
    return this.#deps.data.rows(data);
  }

  /** What anybody writes into live data. */
  get liveData(): Pick<DataBranches, 'markLive' | 'liveRowsSince'> {
    return this.#deps.data;
  }

  /** From now on, and never past what it may live at most. */
  async extend(actor: Actor, lane: string, ttlMs: number): Promise<Lane> {
    const found = await this.find(lane);
    const facts = { owner: found.owner };
    const proposal = { actor, tool: 'lane.extend', facts, arguments: { lane, ttlMs } };
    const outcome = await this.#deps.act(proposal, () => this.#extend(found, actor, ttlMs));
    // Not read again: a short extension may be over by now.
    return { ...found, expiresAt: committedValue(outcome).expiresAt };
  }

  /** What stands on it, or is compared with it, goes first. */
  async close(actor: Actor, lane: string): Promise<void> {
    const found = await this.find(lane);
    const above = (await this.list()).filter(
      ({ on, controlOf }) => on === lane || controlOf === lane,
    );
    for (const { lane: upper } of above) await this.close(actor, upper);
    const facts = { owner: found.owner };
    const proposal = { actor, tool: 'lane.close', facts, arguments: { lane } };
    committedValue(await this.#deps.act(proposal, () => this.#end(found, actor)));
  }

  async list(): Promise<Lane[]> {
    const lanes: Lane[] = [];
    for await (const { value } of this.#deps.ledger.rows<Lane>(lanePrefix)) lanes.push(value);
    return lanes;
  }

  /** The last closed lanes of this owner. */
  closedOf(owner: Actor): Promise<readonly string[]> {
    return findClosedLanes(this.#deps.ledger, owner);
  }

  async find(lane: string): Promise<Lane> {
    const found = await readRow<Lane>(this.#deps.ledger, laneKey(lane));
    if (found) return found;
    throw fault('LANE_CLOSED', { lane });
  }

  /** Writes down the end of lanes that the keeper has ended, or is about to: their time is over. */
  async reap(): Promise<void> {
    if (this.#isReaping) return;
    this.#isReaping = true;
    try {
      const lanes = await this.list();
      if (lanes.length === 0) return;
      // Also sees to it that there is a router: without one no request of theirs gets anywhere.
      const [held] = await Promise.all([this.#deps.host.holds(), this.#deps.routes.address()]);
      const now = this.#deps.clock.now();
      const over = lanes.filter(({ lane, expiresAt }) => expiresAt <= now || !held.has(lane));
      await Promise.all(over.map(({ lane }) => this.#closeIfOpen(lane)));
    } finally {
      this.#isReaping = false;
    }
  }

  /**
   * After a crash: ends what was being opened, and the lanes of runs that died with the daemon.
   * What people opened stays open.
   */
  async recover(): Promise<void> {
    const { host, trees, data } = this.#deps;
    const lanes = await this.list();
    const known = new Set(lanes.map(({ lane }) => lane));
    for (const { lane, candidates } of lanes) {
      await this.#deps.ports.renew(
        lane,
        candidates.flatMap(({ port, doors = [] }) => [port, ...doors.map((door) => door.port)]),
      );
    }
    const held = await host.holds();
    const halfOpen = [...held].filter((name) => name.startsWith('lane_') && !known.has(name));
    await Promise.all(halfOpen.map((name) => host.release(name)));
    const over = lanes.filter(({ lane, transient }) => transient || !held.has(lane));
    for (const { lane } of over) await this.#closeIfOpen(lane);
    const open = (await this.list()).map(({ lane }) => lane);
    await data.recover(open);
    await trees.keepOnly(open);
    await this.#tidy();
    if (lanes.length > 0) await this.publish();
  }

  async #plan(lane: string, request: OpenLane): Promise<LanePlan> {
    const { patch, services = [], isolated = false, transient = false } = request;
    const { ttlMs = this.#deps.config.lanes.ttlMinutes * 60_000, controlOf = null } = request;
    const on = request.on === undefined ? null : await this.find(request.on);
    const base = on?.commit ?? request.base;
    const prepared =
      patch === undefined ? null : await prepareRunnable({ patch, base }, this.#deps);
    const { config } = this.#deps;
    const migrated = (request.branchesMigrated && prepared?.migrates) || [];
    const copies = [...services, ...servicesWith(config, migrated)];
    const after = prepared?.config ?? (await this.#deps.configAt(base));
    const started = await startedServices(this.#deps.ledger);
    const overlayOf = (service: string): string | null => started.get(service)?.overlay ?? null;
    const before = await this.#deps.configAt(base);
    const changed = prepared?.change.services ?? copies;
    const known = { mode: request.callers ?? config.callers, facts: this.callers, base };
    const callers = request.callerCopies ?? chooseCallers(config, changed, known).copies;
    const plan = { copies, isolated, after, before, callers, overlayOf };
    const starts = plannedStarts(config, prepared, plan);
    const isOther = after.ingress !== undefined && after.ingress !== config.ingress;
    return {
      lane,
      base,
      prepared,
      starts,
      on,
      controlOf,
      ttlMs: this.#lifeOf(ttlMs, on),
      transient,
      modes: { ...branchOf(migrated), ...request.data },
      ingress: isOther ? (after.ingress ?? null) : null,
      watched: request.watched ?? null,
    };
  }

  #lifeOf(ttlMs: number, on: Lane | null): number {
    const { config, clock } = this.#deps;
    const most = config.lanes.ttlMinutesMax * 60_000;
    if (ttlMs < 1 || ttlMs > most) throw fault('LANE_TTL_INVALID', { minutes: most / 60_000 });
    return on ? Math.max(1, Math.min(ttlMs, on.expiresAt - clock.now())) : ttlMs;
  }

  async #open(plan: LanePlan, actor: Actor): Promise<JsonObject> {
    const { config, confinement } = this.#deps;
    const { lane, starts } = plan;
    confinement.check(actor);
    const services = starts.map(({ service }) => service);
    await this.#admission.admit({ lane, owner: actor, services }, config);
    try {
      const tell = (stage: string): unknown =>
        this.#stages.set(lane, { lane, owner: actor, stage });
      const announce = (known: RoutedLane): Promise<void> => {
        this.#starting.set(lane, known);
        return this.publish();
      };
      await this.#enter(await startLane(plan, { ...this.#deps, tell, announce }), actor);
      return { lane, services };
    } catch (error) {
      if (this.#starting.delete(lane)) await this.publish().catch(() => undefined);
      // What could not be opened has written logs too.
      await this.#trimLogs();
      throw error;
    } finally {
      this.#stages.delete(lane);
      this.#starting.delete(lane);
      await this.#admission.done(lane);
    }
  }

  async #enter(body: OpenedLane, actor: Actor): Promise<void> {
    try {
      await this.#deps.ledger.append({ kind: 'lane-opened', actor, body });
      await this.publish();
    } catch (error) {
      // If the ledger has it already, it is struck out there once its hold is seen to be gone.
      await endLane(body.lane, this.#deps);
      throw error;
    }
  }

  async #extend(found: Lane, actor: Actor, ttlMs: number) {
    const { ledger, clock } = this.#deps;
    const { lane } = found;
    const below = found.on === null ? null : await this.find(found.on);
    const latest = Math.min(found.endsAtMost, below?.expiresAt ?? found.endsAtMost);
    const leaseMs = Math.min(this.#lifeOf(ttlMs, null), latest - clock.now());
    if (latest <= found.expiresAt)
      throw fault('LANE_AT_ITS_END', { lane, minutes: limitMinutes(found) });
    const { endsAt } = await holdLane(lane, leaseMs, {
      ...this.#deps,
      again: true,
      notAfter: latest,
    });
    await ledger.append({ kind: 'lane-extended', actor, body: { lane, expiresAt: endsAt } });
    await this.publish();
    return { lane, expiresAt: endsAt };
  }

  /** The route first: nothing is sent to what is about to end. */
  async #end(ending: Lane, actor: Actor): Promise<string> {
    const { routes, ledger } = this.#deps;
    const { lane, owner, transient } = ending;
    // A run counts the use of its own lanes itself.
    const use = transient ? null : await this.useOf(ending);
    this.#closing.add(lane);
    try {
      await this.publish();
      await endLane(lane, this.#deps);
      await routes.forget(lane);
      const body = { lane, owner, ...(use ? { use } : {}) };
      await ledger.append({ kind: 'lane-closed', actor, body });
      await this.#tidy();
      return lane;
    } finally {
      this.#closing.delete(lane);
    }
  }

  async #claims(): Promise<QuotaClaim[]> {
    const { host, config } = this.#deps;
    const [lanes, states] = await Promise.all([
      this.list(),
      isMeasured(config) ? host.states() : new Map<string, InstanceState>(),
    ]);
    return lanes.map((lane) => claimOf(lane, states));
  }

  async #trimLogs(): Promise<void> {
    const open = (await this.list()).map(({ lane }) => lane);
    this.#deps.host.trimLogs(new Set([...open, ...this.#stages.keys()]));
  }

  /** What lanes leave behind for a while, and versions that were of use to them. */
  async #tidy(): Promise<void> {
    const { trees, ledger, clock } = this.#deps;
    await this.#trimLogs();
    const inUse = await versionsInUse(ledger, await this.list());
    // Where this fails, for example on a full disk, the next close of a lane tries again.
    await trees.removeOld(inUse, clock.now()).catch(() => undefined);
  }

  async #closeIfOpen(lane: string): Promise<void> {
    const isOpen = (await this.list()).some((other) => other.lane === lane);
    if (isOpen && !this.#closing.has(lane)) await this.close(reaper, lane);
  }
}

function limitMinutes({ endsAtMost, openedAt }: Lane): number {
  return Math.round((endsAtMost - openedAt) / 60_000);
}

function argumentsOf(
  { lane, base, ttlMs, controlOf, on, modes, starts }: LanePlan,
  request: OpenLane,
): JsonObject {
  const { patch = null, services = [], isolated = false } = request;
  return {
    lane,
    patch,
    base,
    ttlMs,
    services: [...services],
    isolated,
    callers: starts.filter(({ version }) => version === 'caller').map(({ service }) => service),
    data: { ...modes },
    on: on?.lane ?? null,
    controlOf,
  };
}
