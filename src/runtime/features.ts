import { type ActDeps, adoptPolicy, createAct, type TaskRow, taskKey } from '../gate/index.ts';
import { type AlertRow, alertPrefix, type InvestigateDeps } from '../investigate/index.ts';
import { type Act, type Clock, fault, type Json } from '../kernel/index.ts';
import {
  Baseline,
  createProcessHost,
  Lanes,
  type Promoted,
  promotionKey,
  type Routes,
  Trees,
} from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import type { TaskDeps } from '../verify/index.ts';
import type { KeeperWatch } from './keeper-watch.ts';
import type { Place } from './place.ts';
import { createRoutes } from './router-process.ts';

/** Everything that the daemon can do, put together. */
export interface Features {
  readonly act: Act;
  readonly ledger: Ledger;
  readonly baseline: Baseline;
  readonly lanes: Lanes;
  readonly routes: Routes;
  readonly tasks: TaskDeps;
  findTask(task: string): Promise<TaskRow>;
  readonly investigations: InvestigateDeps;
  alerts(): Promise<AlertRow[]>;
}

export interface FeatureDeps extends ActDeps {
  readonly place: Place;
  readonly config: Config;
  readonly clock: Clock;
  readonly keeper: KeeperWatch;
}

export async function createFeatures(deps: FeatureDeps): Promise<Features> {
  const { ledger, place, config, keeper } = deps;
  await adoptPolicy(ledger, { agents: config.agents }, 'surety:daemon');
  const act = createAct(deps);
  const router = createRoutes(
    place,
    () => keeper.keeper(),
    () => lanes.publish(),
  );
  const common = {
    ...deps,
    act,
    host: createProcessHost(() => keeper.keeper(), place.logs),
    trees: new Trees(place.root, place.trees),
    root: place.root,
    routes: router.routes,
    tagging: router.tagging,
  };
  const baseline = new Baseline(common);
  const lanes: Lanes = new Lanes(common);
  await baseline.recover();
  await lanes.recover();
  const findTask = (task: string): Promise<TaskRow> => readTask(ledger, task);
  const tasks = { ...common, lanes, baseline, findTask, version: () => baseline.version() };
  const lastPromotion = (): Promise<Promoted | undefined> =>
    readRow<Promoted>(ledger, promotionKey);
  const investigations = { ...tasks, lastPromotion };
  const alerts = (): Promise<AlertRow[]> => readAlerts(ledger);
  const { routes } = router;
  return { act, ledger, baseline, lanes, routes, tasks, findTask, investigations, alerts };
}

async function readTask(ledger: Ledger, task: string): Promise<TaskRow> {
  const row = await readRow<TaskRow>(ledger, taskKey(task));
  if (row) return row;
  throw fault('TASK_UNKNOWN', { task });
}

async function readRow<Row extends Json>(ledger: Ledger, wanted: string): Promise<Row | undefined> {
  for await (const { key, value } of ledger.rows<Row>(wanted)) if (key === wanted) return value;
  return undefined;
}

async function readAlerts(ledger: Ledger): Promise<AlertRow[]> {
  const alerts: AlertRow[] = [];
  for await (const { value } of ledger.rows<AlertRow>(alertPrefix)) alerts.push(value);
  return alerts;
}
