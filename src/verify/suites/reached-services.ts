import type { VerifyContext } from '../pipeline/context.ts';
import { runner } from '../pipeline/lane-pair.ts';
import { runSuites } from './run-suites.ts';

/** The services that the suites reach, and that a lane can have a copy of. */
export async function reachedServices(base: string, context: VerifyContext): Promise<string[]> {
  const { lanes, routes, config } = context;
  const lane = await lanes.open(runner, { base, transient: true });
  try {
    await runSuites(lane, base, context);
    const names = new Set((await routes.hops(lane.lane)).map(({ to }) => to));
    return Object.entries(config.services)
      .filter(([name, { command, lane: own }]) => names.has(name) && (command ?? own.command))
      .map(([name]) => name);
  } finally {
    await lanes.close(runner, lane.lane);
  }
}
