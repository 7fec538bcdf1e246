import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Client, createClient } from '../http/index.ts';
import { checkSocketPlace, fault } from '../kernel/index.ts';
import type { WorkspacePlace } from './place.ts';
import { readDaemonFile } from './state-files.ts';

/**
 * The socket of this directory's daemon. Only the owner of the directory can listen there, so a
 * token may be sent to it without further proof.
 */
export function daemonSocket(place: WorkspacePlace): string {
  const socket = readDaemonFile(place)?.socket;
  if (!socket) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
  const directory = dirname(socket);
  const isState = directory === realpathSync(place.state);
  checkSocketPlace({ path: socket, refuge: isState ? null : directory });
  return socket;
}

/** A client that acts for the holder of a token; the first call shows whether a daemon answers. */
export function connectWithToken(place: WorkspacePlace, token: string): Client {
  return createClient({ socketPath: daemonSocket(place), token, directory: place.root });
}
