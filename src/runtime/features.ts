import { type ActDeps, adoptPolicy, createAct, type TaskRow, taskKey } from '../gate/index.ts';
import { type Act, type Clock, fault } from '../kernel/index.ts';
import { Baseline, createProcessHost, Lanes, type Routes, Trees } from '../lanes/index.ts';
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
  return { act, ledger, baseline, lanes, routes: router.routes, tasks, findTask };
}

async function readTask(ledger: Ledger, task: string): Promise<TaskRow> {
  for await (const { key, value } of ledger.rows<TaskRow>(taskKey(task))) {
    if (key === taskKey(task)) return value;
  }
  throw fault('TASK_UNKNOWN', { task });
}
