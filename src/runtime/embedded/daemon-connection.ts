import { type Client, createClient } from '../../http/index.ts';
import { fault } from '../../kernel/index.ts';
import { connectWithToken } from '../connect.ts';
import { agentTokenFile } from '../identities.ts';
import { findPlace } from '../place.ts';
import { readSecret, readToken } from '../state-files.ts';

/** The daemon of a directory on this machine, or one at an address. */
export type DaemonAddress =
  | { readonly daemon: string; readonly agent?: string }
  | { readonly url: string; readonly token: string; readonly agent?: string };

/** Looked up at every call, because a token may have been replaced. */
export function createConnect(address: DaemonAddress): () => Client {
  if ('url' in address) {
    const { url, token } = address;
    const client = createClient({ url, token, directory: url });
    return () => client;
  }
  const place = findPlace(process.cwd(), address.daemon);
  return () => {
    const token = address.agent
      ? readSecret(agentTokenFile(place, address.agent))
      : process.env.SURETY_TOKEN || readToken(place);
    if (!token) throw fault('DAEMON_NOT_RUNNING', { directory: place.root });
    return connectWithToken(place, token);
  };
}
