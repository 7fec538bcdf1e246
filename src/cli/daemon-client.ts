import type { Client } from '../http/index.ts';
import { fault } from '../kernel/index.ts';
import { connectWithToken } from '../runtime/connect.ts';
import type { WorkspacePlace } from '../runtime/place.ts';
import { readToken } from '../runtime/state-files.ts';

/**
 * A client of this directory's daemon; the first call shows whether the daemon answers. With
 * SURETY_TOKEN it acts for the holder of that token.
 */
export function connectDaemon(place: WorkspacePlace): Client {
  return connect(place, process.env.SURETY_TOKEN || readToken(place));
}

/** For commands that start and stop the daemon, which always act for its owner. */
export function connectAsOwner(place: WorkspacePlace): Client {
  return connect(place, readToken(place));
}

function connect(place: WorkspacePlace, token: string | undefined): Client {
  if (!token) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
  return connectWithToken(place, token);
}
