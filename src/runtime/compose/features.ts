import { fileURLToPath } from 'node:url';
import type { Confinement } from '../../confinement/index.ts';
import {
  type ChangeTaskRow,
  changeTaskKey,
  checkOwner,
  closeWith,
  findTask,
  type Gate,
  type KeyRing,
  type Notify,
  type PolicyBook,
  type TaskCommandDeps,
  withJoins,
} from '../../gate/index.ts';
import {
  type AlertRecord,
  type HearDeps,
  type InvestigateDeps,
  newestAlerts,
  type QueryTelemetry,
  readCalls,
  readCodeowners,
  serviceOwner,
} from '../../investigate/index.ts';
import type { Keeper } from '../../keeper/index.ts';
import {
  type Act,
  type Actor,
  type Clock,
  fault,
  type Log,
  type MakeIdentifier,
  nodeCommand,
} from '../../kernel/index.ts';
import {
  Baseline,
  createProcessHost,
  DataBranches,
  findOverride,
  type Host,
  Lanes,
  type LocalStore,
  Preparation,
  PromotionWatch,
  type PromotionWatchDeps,
  type Routes,
  RunningConfig,
  SerialQueue,
  StoreProcesses,
  secretVariables,
  Trees,
  type VersionRow,
  versionKey,
} from '../../lanes/index.ts';
import { type Draft, type Ledger, readRow } from '../../ledger/index.ts';
import { createDapInstrumenter, createNodeInstrumenter, ProcessPool } from '../../probes/index.ts';
import type { Config } from '../../system/index.ts';
import type { ResultTable } from '../../telemetry/index.ts';
import {
  createRepeatSuites,
  Progress,
  type Recorder,
  type TaskContext,
} from '../../verify/index.ts';
import { runtimeLimits } from '../limits.ts';
import { loadConfig } from '../load-config.ts';
import { localStoreCommand } from '../local-store/local-store.ts';
import type { WorkspacePlace } from '../place.ts';
import type { KeeperWatch } from '../processes/keeper-watch.ts';
import { reviveLost } from '../processes/revive-lost.ts';
import { createRoutes, type RouterProcess } from '../processes/router-process.ts';
import { createTelemetry, type TelemetryProcess } from '../processes/telemetry-process.ts';
import { inTime } from '../telemetry/in-time.ts';
import { countErrors } from '../telemetry/promotion-errors.ts';
import { createTelemetryDesk } from '../telemetry/telemetry-desk.ts';
import { watchTelemetry } from '../telemetry/telemetry-watch.ts';
import { createConfinement } from './confinement.ts';
import { dataStores } from './data-stores.ts';
import { createKubernetesHost } from './kubernetes-host.ts';
import { workspacePolicyFiles } from './policy-source.ts';
import { areProbesOff } from './probe-switch.ts';
import { createRecordedTraffic } from './recorded-traffic.ts';

/** All features of the daemon, composed. */
export interface Features {
  readonly act: Act;
  readonly gate: Gate;
  readonly policies: PolicyBook;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly baseline: Baseline;
  readonly lanes: Lanes;
  readonly data: DataBranches;
  readonly grantKeys: KeyRing;
  readonly routes: Routes;
  readonly telemetryProcess: TelemetryProcess;
  /** For the steps of a task that is about a change. */
  readonly changes: TaskContext;
  /** For the tree of tasks. */
  readonly tasks: TaskCommandDeps;
  readonly investigations: InvestigateDeps;
  /** What turns alerts into incidents. */
  readonly hearing: HearDeps;
  alerts(): Promise<{ alerts: AlertRecord[]; all: number }>;
  readonly promotionWatch: PromotionWatch;
  readonly recorder: Recorder;
  /** Sends telemetry what it has to know about the system. */
  feedTelemetry(): Promise<void>;
}

export interface FeatureDeps {
  readonly ledger: Ledger;
  readonly makeIdentifier: MakeIdentifier;
  readonly executor: string;
  readonly gate: Gate;
  readonly policies: PolicyBook;
  readonly grantKeys: KeyRing;
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly clock: Clock;
  readonly keeper: KeeperWatch;
  readonly log: Log;
  readonly notify: Notify;
}

export async function createFeatures(deps: FeatureDeps): Promise<Features> {
  const { ledger, place, keeper, gate, policies, grantKeys, clock, makeIdentifier } = deps;
  const publish = (): Promise<void> => lanes.publish();
  const trees = new Trees(place.root, place.trees);
  const described = await describeSystem(deps, trees);
  const { config } = described;
  const { router, telemetryProcess } = openNeighbours(deps, config, publish);
  const { recorder, recorded } = createRecordedTraffic(deps, router);
  const confinement = createConfinement(place, config);
  const host = createHost(deps, config, () => keeper.keeper(), confinement);
  const common = {
    ...deps,
    ...described,
    ...openProbing(clock, place, config),
    act: gate.act,
    host,
    confinement,
    preparation: new Preparation({ ...place, host, makeIdentifier, confinement }),
    storeProcesses: createStoreProcesses(place, host),
    publish,
    trees,
    root: place.root,
    routes: router.routes,
    tagging: router.tagging,
    overrideOf: (change: string) => findOverride(ledger, change),
    policyFiles: () => workspacePolicyFiles(place, config),
    data: createData(place, config, confinement),
    progress: new Progress(clock),
    promoting: new SerialQueue(),
    ...(recorded ? { recorded } : {}),
  };
  const baseline = new Baseline(common);
  const lanes: Lanes = new Lanes(common);
  await baseline.recover();
  await lanes.recover();
  const changes = { ...common, ...taskEntries(ledger), lanes, baseline, captures: common };
  keeper.onFound(reviveLost({ ...common, baseline, telemetryProcess }));
  const investigations = { ...changes, queryTelemetry: queryDesk(place, config) };
  return {
    act: gate.act,
    gate,
    policies,
    clock,
    ledger,
    baseline,
    lanes,
    data: common.data,
    grantKeys,
    routes: router.routes,
    telemetryProcess,
    changes,
    tasks: withJoins({ act: gate.act, actInLedger: gate.actInLedger, ledger, makeIdentifier }),
    investigations,
    hearing: { ...deps, ...hearingFor(investigations) },
    alerts: () => newestAlerts(ledger),
    recorder,
    promotionWatch: watchPromotions(deps, changes),
    feedTelemetry: watchTelemetry({ place, config, ledger, lanes, host, clock }),
  };
}

/** Processes with probes in them, and what can look into each. */
function openProbing(
  clock: Clock,
  place: WorkspacePlace,
  config: Config,
): Pick<InvestigateDeps, 'blocked' | 'processes'> {
  const instrumenters = [createNodeInstrumenter(clock), createDapInstrumenter(clock)];
  return {
    blocked: config.probes.blocked,
    processes: new ProcessPool(instrumenters, () => areProbesOff(place.state)),
  };
}

/** Where alerts belong, and to whom. */
function hearingFor(deps: InvestigateDeps): Pick<HearDeps, 'readCalls' | 'readOwners'> {
  const { config, queryTelemetry } = deps;
  return {
    readCalls: () => readCalls(config, queryTelemetry),
    readOwners: async () => {
      const codeowners = await readCodeowners(deps);
      return (service) => serviceOwner(service, config, codeowners);
    },
  };
}

function queryDesk(place: WorkspacePlace, config: Config): QueryTelemetry {
  const desk = createTelemetryDesk({ place, config });
  return async (sql) =>
    rowsOf(await inTime(desk.query(sql, {}), runtimeLimits.backgroundQueryMsMax));
}

const rowsOf = ({ rows }: ResultTable): Awaited<ReturnType<QueryTelemetry>> =>
  rows as Awaited<ReturnType<QueryTelemetry>>;

function watchPromotions(
  deps: FeatureDeps,
  changes: TaskContext & Omit<PromotionWatchDeps, 'errorShares' | 'repeatSuites'>,
): PromotionWatch {
  const repeatSuites = createRepeatSuites(changes);
  return new PromotionWatch({
    ...changes,
    errorShares: countErrors(deps),
    repeatSuites,
    notify: deps.notify,
  });
}

/** How the steps of a task find the task and end it. */
function taskEntries(ledger: Ledger): Pick<TaskContext, 'findTask' | 'closeWith'> {
  return {
    findTask: (task: string, actor?: Actor) => readChange(ledger, task, actor),
    closeWith: (draft: Draft, task: string) => closeWith(draft, task, ledger),
  };
}

/** The router and telemetry processes, whose addresses services get. */
function openNeighbours(
  { place, keeper, log }: FeatureDeps,
  config: Config,
  publish: () => Promise<void>,
): { router: RouterProcess; telemetryProcess: TelemetryProcess } {
  const found = { place, config, keeper: () => keeper.keeper() };
  const telemetryProcess = createTelemetry({ ...found, log });
  const telemetryPort = async (): Promise<number | undefined> =>
    (await telemetryProcess.ensure())?.port;
  const router = createRoutes({ ...found, telemetryPort, onStart: publish });
  return { router, telemetryProcess };
}

/** Secrets known at the start stay secret, whatever the running version says. */
function createHost(
  { place: { logs, root }, clock, config: own }: FeatureDeps,
  config: Config,
  keeper: () => Promise<Keeper>,
  confinement: Confinement,
): Host {
  const withheld = (): string[] => [...secretVariables(own), ...secretVariables(config)];
  const local = createProcessHost({ keeper, logs, clock, root, withheld, confinement });
  return createKubernetesHost(local, config);
}

/** The description of the system: that of the running version, if one was promoted. */
async function describeSystem({ config: own, place, ledger }: FeatureDeps, trees: Trees) {
  const running = new RunningConfig(own, { trees, readOwn: () => loadConfig(place) });
  const version = await readRow<VersionRow>(ledger, versionKey);
  if (version) await running.follow(version.commit);
  return {
    config: running.live,
    configAt: (commit: string): Promise<Config> => running.at(commit),
    follow: (commit: string): Promise<void> => running.follow(commit),
  };
}

async function readChange(ledger: Ledger, task: string, actor?: Actor): Promise<ChangeTaskRow> {
  const row = await readRow<ChangeTaskRow>(ledger, changeTaskKey(task));
  if (row) return row;
  const found = await findTask(ledger, task);
  if (actor) checkOwner(found, actor);
  throw fault('TASK_NOT_A_CHANGE', { task });
}

/** Datastores that Surety starts itself. */
function createStoreProcesses(place: WorkspacePlace, host: Host): StoreProcesses {
  const localCommand = (store: LocalStore): string => localStoreCommand(place, store);
  return new StoreProcesses({ host, stores: dataStores, root: place.root, localCommand });
}

/** The data of lanes, with a program that drops it if this process cannot. */
function createData(
  { root, data }: WorkspacePlace,
  config: Config,
  confinement: Confinement,
): DataBranches {
  const program = new URL('./reap-data.ts', import.meta.url);
  const reaper = nodeCommand(fileURLToPath(program));
  return new DataBranches({
    config,
    stores: dataStores,
    directory: data,
    root,
    reaper,
    confinement,
  });
}
