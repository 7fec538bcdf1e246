import { join } from 'node:path';
import { type Clock, isFault } from '../../kernel/index.ts';
import { type Host, type Lanes, startedServices } from '../../lanes/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import { connectTelemetry, readTelemetryFile } from '../../telemetry/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { mustLook, serviceMemory } from '../processes/service-memory.ts';
import { TelemetryFeed } from './telemetry-feed.ts';
import { metricsTargets, systemNames } from './telemetry-names.ts';

export interface TelemetryWatchDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly ledger: Ledger;
  readonly lanes: Pick<Lanes, 'list'>;
  readonly host: Pick<Host, 'states'>;
  readonly clock: Clock;
}

/** Keeps telemetry up to date if it runs; its absence is reported elsewhere. */
export function watchTelemetry(deps: TelemetryWatchDeps): () => Promise<void> {
  const { place, config, ledger, lanes, host, clock } = deps;
  const doorsFile = join(place.state, 'doors.json');
  const telemetry = connectTelemetry(place.state);
  const pid = (): number | undefined => readTelemetryFile(place.state)?.pid;
  let memoryToldAt = 0;
  const tellMemory = async (): Promise<void> => {
    const now = clock.now();
    if (pid() === undefined || now - memoryToldAt < memoryEveryMs || !mustLook(config)) return;
    memoryToldAt = now;
    const baseline = await startedServices(ledger);
    const running = { lanes: await lanes.list(), states: await host.states() };
    const metrics = serviceMemory({ baseline: [...baseline.values()], ...running }, config, now);
    if (metrics.length > 0) await telemetry.ask('POST /control/record', { metrics });
  };
  const feed = new TelemetryFeed({
    ledger,
    telemetry,
    pid,
    lanes: () => lanes.list(),
    names: (open) => systemNames({ config, doorsFile, lanes: open }),
    targets: async (open) => metricsTargets(config, open, await runningInstances(ledger)),
  });
  return async () => {
    try {
      await feed.look();
      await tellMemory();
    } catch (error) {
      if (!isFault(error) || error.code !== 'TELEMETRY_UNREACHABLE') throw error;
    }
  };
}

const memoryEveryMs = 5_000;

async function runningInstances(ledger: Ledger): Promise<Map<string, string>> {
  const started = await startedServices(ledger);
  return new Map([...started].map(([service, { instance }]) => [service, instance]));
}
