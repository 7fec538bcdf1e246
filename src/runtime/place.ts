import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Where a workspace lives on disk. */
export interface WorkspacePlace {
  readonly root: string;
  /** `.surety`: everything that Surety itself writes. */
  readonly state: string;
  readonly configFile: string;
  readonly ledgerFile: string;
  readonly keyFile: string;
  readonly tokenFile: string;
  readonly daemonFile: string;
  readonly executorFile: string;
  readonly grantKeysFile: string;
  readonly logs: string;
  /** What was installed once for every version that needs the same. */
  readonly cache: string;
  /** Versions of the system, checked out. */
  readonly trees: string;
  /** What lanes have of datastores, with passwords: private. */
  readonly data: string;
  /** What was recorded of requests to the baseline. */
  readonly trafficFile: string;
}

/**
 * The nearest directory upwards that has a surety.yaml or a .surety; without one, where the user
 * stands. A directory that was named is taken as it is.
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
    tokenFile: join(state, 'token'),
    daemonFile: join(state, 'daemon.json'),
    executorFile: join(state, 'executor'),
    grantKeysFile: join(state, 'grant-keys', 'ring.json'),
    logs: join(state, 'logs'),
    cache: join(state, 'cache'),
    trees: join(state, 'trees'),
    data: join(state, 'data'),
    trafficFile: join(state, 'traffic', 'recorded.jsonl'),
  };
}
