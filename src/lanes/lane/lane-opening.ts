import type { Confinement } from '../../confinement/index.ts';
import { isPortFree, type MakeIdentifier, sharedLimits } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { Candidate, Lane } from '../api-schema.ts';
import type { Preparation } from '../baseline/preparation.ts';
import type { Trees, VersionTree } from '../change/trees.ts';
import type { DataBranches, LaneData } from '../data/index.ts';
import type { Host } from '../host/host.ts';
import { instanceSpec, type Tagging } from '../host/instance.ts';
import { laneLimits } from '../limits.ts';
import { watchLines } from '../line-coverage/coverage-files.ts';
import type { Ports } from '../routing/ports.ts';
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
    const candidates = await startCandidates(plan, tree, deps);
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
  { lane, starts, modes, on }: LanePlan,
  tree: VersionTree | null,
  { data, tell }: OpeningDeps,
): Promise<readonly LaneData[]> {
  if (Object.keys(modes).length > 0) tell('making its data');
  const services = starts.map(({ service }) => service);
  return data.open(lane, { services, modes, tree, below: on?.data ?? [] });
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

/** All at once: a lane is ready when its slowest service is. */
async function startCandidates(
  { lane, starts, on, prepared, watched }: LanePlan,
  tree: VersionTree | null,
  deps: OpeningDeps,
): Promise<Candidate[]> {
  if (!tree || starts.length === 0) return [];
  deps.tell(`starting ${starts.map(({ service }) => service).join(', ')}`);
  const given = await deps.tagging();
  const inUse = new Set(Object.values(deps.config.services).map(({ port }) => port));
  // A lane on top of a lane with a change runs that change, too.
  const change = prepared?.change.change ?? on?.change ?? null;
  const unprepared = starts.map(({ service, config }) => ({ service, config, tree, change }));
  await deps.preparation.services(unprepared.map((one) => ({ ...one, isConfined: true })));
  const watching = watched ? watchLines(deps.trees.coverageOf(lane), watched, tree) : {};
  const common = { ...deps, tree, given, inUse, below: on?.data ?? [], watching };
  let waiting = starts.length;
  const started = await Promise.allSettled(
    starts.map(async (start) => {
      const candidate = await startCandidate(lane, start, common);
      waiting -= 1;
      deps.tell(waiting === 0 ? 'routing' : `${start.service} is healthy, ${waiting} to go`);
      return candidate;
    }),
  );
  const failed = started.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return started.map((one) => (one as PromiseFulfilledResult<Candidate>).value);
}

interface StartDeps {
  readonly tree: VersionTree;
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
  { service, config, version }: PlannedStart,
  deps: OpeningDeps & StartDeps,
): Promise<Candidate> {
  const { host, makeIdentifier, tree, given, below, watching } = deps;
  const instance = `${service}/${lane}/${makeIdentifier('run')}`;
  const name = `${lane}.${service}`;
  const request = { service, config, tree, instance, name, tagging: given, port, hold: lane };
  const environment = { ...deps.data.environment(lane, service, below), ...watching };
  const confined = deps.confinement.inherited();
  await host.start(instanceSpec({ ...request, environment, confined }));
  return { service, instance, name, port, version, ...otherProtocol(service, config, deps) };
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
