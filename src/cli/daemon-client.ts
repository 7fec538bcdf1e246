import { type Client, createClient } from '../http/index.ts';
import { fault } from '../kernel/index.ts';
import type { Place } from '../runtime/place.ts';
import { readDaemonFile, readToken } from '../runtime/state-files.ts';

/** A client of this directory's daemon; whether it really answers, the first call tells. */
export function connectDaemon(place: Place): Client {
  const daemon = readDaemonFile(place);
  const token = readToken(place);
  if (!daemon || !token) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
  return createClient({ port: daemon.port, token, directory: place.root });
}
