import type { Hop } from '../lanes/index.ts';
import type { Recorded } from './calibration/index.ts';
import type { LanePair } from './lane-pair.ts';
import type { RunDeps } from './run.ts';
import { runSuite } from './suite.ts';
import { targetOf } from './suite-target.ts';
import { type Scenario, scenarioOf } from './traffic/index.ts';

/** What every suite of the running version sends, and which services that comes to. */
export async function recordSuites({ control }: LanePair, deps: RunDeps): Promise<Recorded> {
  const { routes, config, trees } = deps;
  const { root } = await trees.open(control.base);
  const scenarios: Scenario[] = [];
  for (const [name, suite] of Object.entries(config.suites)) {
    await routes.take(control.lane);
    await runSuite(name, suite, await targetOf(control, root, deps));
    scenarios.push(scenarioOf(name, await routes.taken(control.lane)));
  }
  return { scenarios, services: reached(await routes.hops(control.lane), deps) };
}

/** Only those of which a lane can have a copy. */
function reached(hops: readonly Hop[], { config: { services } }: RunDeps): string[] {
  const names = new Set(hops.map(({ to }) => to));
  return Object.entries(services)
    .filter(([name, { command, lane }]) => names.has(name) && (command ?? lane.command))
    .map(([name]) => name);
}
