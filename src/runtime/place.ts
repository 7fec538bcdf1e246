import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where a workspace is on disk. */
export interface WorkspacePlace {
  readonly root: string;
  /** `.surety`: all files that Surety itself writes. */
  readonly state: string;
  readonly configFile: string;
  readonly ledgerFile: string;
  readonly keyFile: string;
  /** The last signed head of each workspace. */
  readonly heads: string;
  readonly tokenFile: string;
  readonly daemonFile: string;
  readonly executorFile: string;
  /** Behind the keys of those who report to telemetry. */
  readonly senderSecretFile: string;
  readonly grantKeysFile: string;
  /** Outcomes that the ledger does not have yet. */
  readonly outcomesFile: string;
  readonly logs: string;
  /** Installed packages, shared by all versions with the same dependencies. */
  readonly cache: string;
  /** Checked-out versions of the system. */
  readonly trees: string;
  /** Data branches of lanes, with passwords: private. */
  readonly data: string;
  /** Recorded requests to the baseline. */
  readonly trafficFile: string;
}

/**
 * The nearest directory upwards with a surety.yaml or a .surety, else the current one. A named
 * directory is used as it is.
 */
export function findPlace(from: string, named?: string): WorkspacePlace {
  if (named !== undefined) return placeAt(resolve(from, named));
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    const { configFile, state } = placeAt(directory);
    if (existsSync(configFile) || existsSync(state)) return placeAt(directory);
    if (directory === dirname(directory)) return placeAt(resolve(from));
  }
}

function placeAt(root: string): WorkspacePlace {
  const state = join(root, '.surety');
  return {
    root,
    state,
    configFile: join(root, 'surety.yaml'),
    ledgerFile: join(state, 'ledger.db'),
    keyFile: join(state, 'keys', 'signing.pem'),
    heads: join(state, 'heads'),
    tokenFile: join(state, 'token'),
    daemonFile: join(state, 'daemon.json'),
    executorFile: join(state, 'executor'),
    senderSecretFile: join(state, 'sender-secret'),
    grantKeysFile: join(state, 'grant-keys', 'ring.json'),
    outcomesFile: join(state, 'outcomes.jsonl'),
    logs: join(state, 'logs'),
    cache: join(state, 'cache'),
    trees: join(state, 'trees'),
    data: join(state, 'data'),
    trafficFile: join(state, 'traffic', 'recorded.jsonl'),
  };
}
