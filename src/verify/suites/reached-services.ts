import { runner } from '../pipeline/lane-pair.ts';
import { type RunDeps, runSuites } from '../pipeline/run.ts';

/** Those that the requests of all suites come to, and of which a lane can have a copy. */
export async function reachedServices(base: string, deps: RunDeps): Promise<string[]> {
  const { lanes, routes, config } = deps;
  const lane = await lanes.open(runner, { base, transient: true });
  try {
    await runSuites(lane, base, deps);
    const names = new Set((await routes.hops(lane.lane)).map(({ to }) => to));
    return Object.entries(config.services)
      .filter(([name, { command, lane: own }]) => names.has(name) && (command ?? own.command))
      .map(([name]) => name);
  } finally {
    await lanes.close(runner, lane.lane);
  }
}
