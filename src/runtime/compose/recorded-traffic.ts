import { type Clock, type MakeIdentifier, rememberSecret } from '../../kernel/index.ts';
import { readSecrets } from '../../lanes/index.ts';
import { laneLimits } from '../../lanes/limits.ts';
import type { Config } from '../../system/index.ts';
import { RecordedStore, Recorder, type TrafficRecording } from '../../verify/index.ts';
import type { WorkspacePlace } from '../place.ts';
import type { RouterProcess } from '../processes/router-process.ts';

export interface BaselineRecording {
  readonly recorder: Recorder;
  /** For verdicts; undefined if surety.yaml does not allow recording. */
  readonly recorded: (() => Promise<TrafficRecording>) | undefined;
}

export interface RecordedTrafficDeps {
  readonly place: WorkspacePlace;
  /** From the file on disk: a promoted change cannot allow anything here. */
  readonly config: Config;
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
}

export function createRecordedTraffic(
  { place, config, clock, makeIdentifier }: RecordedTrafficDeps,
  router: Pick<RouterProcess, 'recorded'>,
): BaselineRecording {
  const { record, credentials: references } = config.traffic;
  const recorder = new Recorder({
    fetch: (perMille) => router.recorded(perMille),
    store: new RecordedStore(place.trafficFile),
    // Without its own port the router does not see requests without a key.
    rules: config.frontDoorPort === undefined ? undefined : record,
    clock,
    makeIdentifier,
  });
  const recorded = async (): Promise<TrafficRecording> => ({
    scenarios: await recorder.list(),
    credentials: await readCredentials(references, place.root),
  });
  return { recorder, recorded: record ? recorded : undefined };
}

/** The token after `Bearer` is a credential without that word, too. */
async function readCredentials(
  references: Readonly<Record<string, string>>,
  root: string,
): Promise<Record<string, string>> {
  const credentials = await readSecrets({ service: 'recorded traffic', references, root });
  for (const value of Object.values(credentials)) {
    const bare = /^\S+\s+(\S.*)$/.exec(value)?.[1] ?? '';
    if (bare.length >= laneLimits.secretCharsMin) rememberSecret(bare);
  }
  return credentials;
}
