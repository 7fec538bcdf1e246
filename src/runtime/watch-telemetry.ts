import { join } from 'node:path';
import { isFault } from '../kernel/index.ts';
import type { Lanes } from '../lanes/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Config } from '../system/index.ts';
import { connectTelemetry, readTelemetryFile } from '../telemetry/index.ts';
import type { Place } from './place.ts';
import { TelemetryFeed } from './telemetry-feed.ts';
import { metricsTargets, systemNames } from './telemetry-names.ts';

export interface WatchDeps {
  readonly place: Place;
  readonly config: Config;
  readonly ledger: Ledger;
  readonly lanes: Pick<Lanes, 'list'>;
}

/** Keeps telemetry told, if there is any; while it is away there is nothing to say about that. */
export function watchTelemetry({ place, config, ledger, lanes }: WatchDeps): () => Promise<void> {
  const doorsFile = join(place.state, 'doors.json');
  const feed = new TelemetryFeed({
    ledger,
    telemetry: connectTelemetry(place.state),
    pid: () => readTelemetryFile(place.state)?.pid,
    lanes: () => lanes.list(),
    names: (open) => systemNames({ config, doorsFile, lanes: open }),
    targets: async (open) => metricsTargets(config, open, await runningInstances(ledger)),
  });
  return async () => {
    try {
      await feed.look();
    } catch (error) {
      if (!isFault(error) || error.code !== 'TELEMETRY_UNREACHABLE') throw error;
    }
  };
}

async function runningInstances(ledger: Ledger): Promise<Map<string, string>> {
  const instances = new Map<string, string>();
  for await (const { value } of ledger.rows<{ service: string; instance: string }>('service/'))
    instances.set(value.service, value.instance);
  return instances;
}
