import type { Confinement } from '../../confinement/index.ts';
import { isPortFree, type MakeIdentifier, sharedLimits } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { Candidate, Lane } from '../api-schema.ts';
import { inOrder } from '../baseline/in-order.ts';
import type { Preparation } from '../baseline/preparation.ts';
import type { Trees, VersionTree } from '../change/trees.ts';
import type { DataBranches, LaneData } from '../data/index.ts';
import type { Host } from '../host/host.ts';
import { instanceSpec, type Tagging } from '../host/instance.ts';
import { laneLimits } from '../limits.ts';
import { watchLines } from '../line-coverage/coverage-files.ts';
import { calledBy } from '../routing/addresses.ts';
import type { Ports } from '../routing/ports.ts';
import type { RoutedLane } from '../routing/routes.ts';
import type { LanePlan, PlannedStart } from './lane-plan.ts';

export interface OpeningDeps {
  readonly host: Host;
  readonly trees: Trees;
  readonly ports: Ports;
  readonly data: DataBranches;
  readonly preparation: Preparation;
  readonly config: Config;
  readonly makeIdentifier: MakeIdentifier;
  readonly confinement: Confinement;
  readonly tagging: () => Promise<Tagging>;
  readonly tell: (stage: string) => void;
  /** Routes the lane's requests to what has started: its instances may call each other at once. */
  readonly announce: (lane: RoutedLane) => Promise<void>;
}

/** A lane as its opening entry describes it; the entry itself holds the actor and the time. */
export type OpenedLane = Omit<Lane, 'owner' | 'openedAt'>;

/**
 * Starts everything of a lane under a hold that takes it all away again: when a step fails, when
 * we are killed in the middle of one, and when the time of the lane is over.
 */
export async function startLane(plan: LanePlan, deps: OpeningDeps): Promise<OpenedLane> {
  const { lane, ttlMs } = plan;
  const getsData = Object.values(plan.modes).some((mode) => mode !== 'shared');
  await holdLane(lane, ttlMs + laneLimits.laneStartMsMax, { ...deps, getsData });
  try {
    const { tree, commit } = await checkOut(plan, deps);
    const data = await openData(plan, tree, deps);
    const candidates = await startInstances(plan, tree, deps);
    const { endsAt } = await holdLane(lane, ttlMs, {
      ...deps,
      again: true,
      notAfter: plan.on?.expiresAt ?? null,
    });
    return opened(plan, { commit, data, candidates, endsAt }, deps.config);
  } catch (error) {
    await endLane(lane, deps);
    throw error;
  }
}

type HoldDeps = Pick<OpeningDeps, 'host' | 'trees' | 'data'> & {
  /** Prolongs an existing hold; a hold that has ended in the meantime is not created again. */
  readonly again?: boolean;
  readonly notAfter?: number | null;
  /** The lane is about to get its own data. */
  readonly getsData?: boolean;
};

/** Places the hold that ends the lane on time, even when the daemon is dead. */
export async function holdLane(
  lane: string,
  leaseMs: number,
  { host, trees, data, again = false, notAfter = null, getsData = false }: HoldDeps,
): ReturnType<Host['hold']> {
  return host.hold({
    name: lane,
    leaseMs: Math.min(leaseMs, sharedLimits.leaseMsMax),
    remove: await trees.places(lane),
    command: data.reapCommand(lane, getsData) ?? [],
    again,
    notAfter,
  });
}

/** Everything but its route and its place in the ledger. Again, it does nothing. */
export async function endLane(
  lane: string,
  { host, data, ports }: Pick<OpeningDeps, 'host' | 'data' | 'ports'>,
): Promise<void> {
  await host.release(lane);
  ports.release(lane);
  await data.close(lane);
}

async function openData(
  plan: LanePlan,
  tree: VersionTree | null,
  { data, tell, ...deps }: OpeningDeps,
): Promise<readonly LaneData[]> {
  const { lane, starts, modes, on } = plan;
  if (Object.keys(modes).length > 0) tell('making its data');
  if (tree) await prepareDataSteps(plan, tree, deps);
  const services = starts.map(({ service }) => service);
  return data.open(lane, { services, modes, tree, below: on?.data ?? [] });
}

/** The migrations and seeds of the lane's version run in a fresh checkout of it. */
async function prepareDataSteps(
  { modes, prepared, on }: LanePlan,
  tree: VersionTree,
  { preparation, config }: Pick<OpeningDeps, 'preparation' | 'config'>,
): Promise<void> {
  const change = prepared?.change.change ?? on?.change ?? null;
  const own = Object.entries(config.datastores).filter(
    ([store]) => (modes[store] ?? 'shared') !== 'shared',
  );
  const steps = own.flatMap(([, { migrations, seeds }]) => [migrations, seeds]);
  for (const step of steps) {
    if (!step) continue;
    await preparation.prepareStep(step.directory, config.services, {
      tree,
      isConfined: true,
      change,
    });
  }
}

function opened(
  { lane, base, prepared, on, controlOf, transient, ttlMs, ingress }: LanePlan,
  {
    commit,
    data,
    candidates,
    endsAt,
  }: Pick<OpenedLane, 'commit' | 'data' | 'candidates'> & {
    readonly endsAt: number;
  },
  { lanes }: Config,
): OpenedLane {
  const longest = Math.max(lanes.ttlMinutesMax * 60_000, ttlMs);
  return {
    lane,
    change: prepared?.change.change ?? null,
    base,
    commit,
    candidates,
    data,
    on: on?.lane ?? null,
    controlOf,
    ingress,
    transient,
    expiresAt: endsAt,
    endsAtMost: endsAt - ttlMs + longest,
  };
}

/**
 * A control gets a checkout of its own, too: by the path of its files it could tell that it is not
 * the candidate, and what it writes there must not reach the baseline.
 */
async function checkOut(
  { lane, base, prepared, starts }: LanePlan,
  { trees, tell }: OpeningDeps,
): Promise<{ tree: VersionTree | null; commit: string }> {
  if (starts.length === 0) return { tree: null, commit: base };
  tell('checking out');
  const commit = prepared
    ? await trees.commit(prepared.tree, base, `Change ${prepared.change.change}`)
    : base;
  return { tree: await trees.open(commit, lane), commit };
}

/** All at once, but callers after what they call: a lane is ready when its slowest service is. */
async function startInstances(
  plan: LanePlan,
  tree: VersionTree | null,
  deps: OpeningDeps,
): Promise<Candidate[]> {
  const { lane, starts, on, watched } = plan;
  if (!tree || starts.length === 0) return [];
  deps.tell(`starting ${starts.map(({ service }) => service).join(', ')}`);
  const given = await deps.tagging();
  const inUse = new Set(Object.values(deps.config.services).map(({ port }) => port));
  const trees = await prepareTrees(plan, tree, deps);
  const watching = watched ? watchLines(deps.trees.coverageOf(lane), watched, tree) : {};
  const common = { ...deps, given, inUse, below: on?.data ?? [], watching };
  const doors = new Map<string, LaneDoors>();
  for (const start of starts) doors.set(start.service, await laneDoors(lane, start, common));
  const candidates = new Map<string, Candidate>();
  const announce = (): Promise<void> => {
    const { ingress } = plan;
    const known = { lane, on: on?.lane ?? null, ingress, expiresAt: Number.MAX_SAFE_INTEGER };
    const starting = [...doors]
      .filter(([service]) => !candidates.has(service))
      .map(([service, own]) => ({ service, doors: own }));
    return deps.announce({ ...known, candidates: [...candidates.values()], starting });
  };
  await announce();
  const byName = new Map(starts.map((start) => [start.service, start]));
  await inOrder(
    [...byName.keys()],
    (service) => byName.get(service)?.after ?? [],
    async (service) => {
      const start = byName.get(service) as PlannedStart;
      const own = { ...trees(start), doors: doors.get(service) ?? [] };
      candidates.set(service, await startCandidate(lane, start, { ...common, ...own }));
      const waiting = starts.length - candidates.size;
      deps.tell(waiting === 0 ? 'routing' : `${service} is healthy, ${waiting} to go`);
      if (starts.some(({ after = [] }) => after.includes(service))) await announce();
    },
  );
  return starts.map(({ service }) => candidates.get(service) as Candidate);
}

/**
 * Callers are the baseline's own code: they have a checkout of that, and are confined as the
 * baseline is. Below another lane the base is that lane's change, and runs as such.
 */
async function prepareTrees(
  { starts, base, on, prepared }: LanePlan,
  tree: VersionTree,
  deps: OpeningDeps,
): Promise<(start: PlannedStart) => Pick<StartDeps, 'tree' | 'isConfined'>> {
  const { trees, preparation, confinement } = deps;
  const hasCallers = starts.some(({ version }) => version === 'caller');
  const unchanged = hasCallers ? await trees.openBeside(tree, base) : tree;
  const place = ({ version }: PlannedStart) =>
    version === 'caller'
      ? { tree: unchanged, isConfined: on !== null || confinement.confinesBaseline }
      : { tree, isConfined: true };
  // A lane on top of a lane with a change runs that change, too.
  const change = prepared?.change.change ?? on?.change ?? null;
  const request = (start: PlannedStart) => {
    const { service, config, version } = start;
    return { service, config, ...place(start), change: version === 'caller' ? null : change };
  };
  await preparation.services(starts.map(request));
  return place;
}

type LaneDoors = NonNullable<Candidate['doors']>;

/** For a program with the preload none: that names the lane with each call. */
async function laneDoors(
  lane: string,
  { service, config }: PlannedStart,
  { ports, inUse, config: system }: OpeningDeps & Pick<StartDeps, 'inUse'>,
): Promise<LaneDoors> {
  if (config.tagging === 'preload') return [];
  const described = { ...system, services: { ...system.services, [service]: config } };
  const doors: { to: string; port: number }[] = [];
  for (const to of calledBy(service, described)) {
    doors.push({ to, port: await ports.reserve(lane, inUse) });
  }
  return doors;
}

interface StartDeps {
  readonly tree: VersionTree;
  /** Whether it runs as what an agent wrote. */
  readonly isConfined: boolean;
  readonly doors: LaneDoors;
  readonly given: Tagging;
  readonly inUse: ReadonlySet<number>;
  readonly below: readonly LaneData[];
  /** Variables by which candidates record coverage. */
  readonly watching: Readonly<Record<string, string>>;
}

/** A stranger may take the port after all: the candidate then gets another one. */
const portsMost = 3;

async function startCandidate(
  lane: string,
  start: PlannedStart,
  deps: OpeningDeps & StartDeps,
): Promise<Candidate> {
  for (let tries = 1; ; tries++) {
    const port = await deps.ports.reserve(lane, deps.inUse);
    try {
      return await startOnPort(port, lane, start, deps);
    } catch (error) {
      if (tries === portsMost || (await isPortFree(port))) throw error;
    }
  }
}

async function startOnPort(
  port: number,
  lane: string,
  { service, config, version, why }: PlannedStart,
  deps: OpeningDeps & StartDeps,
): Promise<Candidate> {
  const { host, makeIdentifier, tree, given, below, doors, isConfined, watching } = deps;
  const instance = `${service}/${lane}/${makeIdentifier('run')}`;
  const name = `${lane}.${service}`;
  const request = { service, config, tree, instance, name, tagging: given, port, hold: lane };
  // What only keeps the change company has no changed lines.
  const watched = version === 'caller' ? {} : watching;
  const environment = { ...deps.data.environment(lane, service, below), ...watched };
  const confined = isConfined ? { confined: deps.confinement.inherited() } : {};
  const own = new Map(doors.map(({ to, port: door }) => [to, door]));
  const startedAt = performance.now();
  await host.start(instanceSpec({ ...request, environment, doors: own, ...confined }));
  return {
    service,
    instance,
    name,
    port,
    version,
    ...(why === undefined ? {} : { why, startMs: Math.round(performance.now() - startedAt) }),
    ...(doors.length > 0 ? { doors } : {}),
    ...otherProtocol(service, config, deps),
  };
}

/** A lane's requests are sent in what its candidate speaks, which the change may have changed. */
function otherProtocol(
  service: string,
  { protocol }: PlannedStart['config'],
  { config }: Pick<OpeningDeps, 'config'>,
): Pick<Candidate, 'protocol'> {
  const isSame = protocol === config.services[service]?.protocol;
  return isSame || protocol === 'tcp' ? {} : { protocol };
}
