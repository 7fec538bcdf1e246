import { join } from 'node:path';
import { type Clock, isFault } from '../kernel/index.ts';
import type { Baseline, Lanes } from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import { connectTelemetry, readTelemetryFile } from '../telemetry/index.ts';
import type { Place } from './place.ts';
import { serviceMemory } from './service-memory.ts';
import { TelemetryFeed } from './telemetry-feed.ts';
import { metricsTargets, systemNames } from './telemetry-names.ts';

export interface WatchDeps {
  readonly place: Place;
  readonly config: Config;
  readonly ledger: Ledger;
  readonly lanes: Pick<Lanes, 'list'>;
  readonly baseline: Pick<Baseline, 'status'>;
  readonly clock: Clock;
}

/** Keeps telemetry told, if there is any; while it is away there is nothing to say about that. */
export function watchTelemetry(deps: WatchDeps): () => Promise<void> {
  const { place, config, ledger, lanes, baseline, clock } = deps;
  const doorsFile = join(place.state, 'doors.json');
  const telemetry = connectTelemetry(place.state);
  const pid = (): number | undefined => readTelemetryFile(place.state)?.pid;
  let memoryToldAt = 0;
  const tellMemory = async (): Promise<void> => {
    const now = clock.now();
    if (pid() === undefined || now - memoryToldAt < memoryEveryMs) return;
    memoryToldAt = now;
    const metrics = serviceMemory(await baseline.status(), config, now);
    if (metrics.length > 0)
      await telemetry.ask({ method: 'POST', path: 'record', body: { metrics } });
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

const memoryEveryMs = 15_000;

async function runningInstances(ledger: Ledger): Promise<Map<string, string>> {
  const instances = new Map<string, string>();
  for await (const { value } of ledger.rows<{ service: string; instance: string }>('service/'))
    instances.set(value.service, value.instance);
  return instances;
}
