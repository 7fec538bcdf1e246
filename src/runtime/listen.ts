import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import {
  CallerConnections,
  fault,
  isFault,
  limitCallers,
  listenPrivately,
  removeSocket,
  socketPlace,
} from '../kernel/index.ts';
import type { Config } from '../system/index.ts';
import type { WorkspacePlace } from './place.ts';
import { readDaemonFile } from './state-files.ts';

/** How long a caller may take to send a request, and how long the exit waits for requests. */
const requestMsMax = 30_000;
const drainMsMax = 3_000;

interface Listening {
  readonly servers: readonly Server[];
  readonly port: number;
  readonly socket: string;
}

/** A port for every program of this machine, and a socket that proves to clients who listens. */
export async function listen(api: Hono, config: Config, place: WorkspacePlace): Promise<Listening> {
  const { server, port } = await listenAsBefore(api, config, place);
  const local = serverOf(api);
  const own = socketPlace(place.state, 'daemon');
  await listenPrivately(local, own);
  local.once('close', () => removeSocket(own));
  return { servers: [server, local], port, socket: own.path };
}

/** Clients know the port of a killed daemon, so the next one takes it again unless it is in use. */
async function listenAsBefore(
  api: Hono,
  config: Config,
  place: WorkspacePlace,
): Promise<{ server: Server; port: number }> {
  const known = readDaemonFile(place)?.port;
  if (config.api.port !== 0 || !known) return listenOnPort(api, config.api.port);
  return listenOnPort(api, known).catch((error) => {
    if (!isFault(error, 'PORT_TAKEN')) throw error;
    return listenOnPort(api, 0);
  });
}

function serverOf(api: Hono): Server {
  const server = createServer(getRequestListener(api.fetch));
  server.requestTimeout = requestMsMax;
  server.headersTimeout = requestMsMax;
  return server;
}

async function listenOnPort(api: Hono, port: number): Promise<{ server: Server; port: number }> {
  const host = '127.0.0.1';
  const server = serverOf(api);
  // Any program of this machine may connect; only the owner may to the socket.
  limitCallers(server, new CallerConnections());
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? fault('PORT_TAKEN', { port, host }, error) : error);
    });
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** Accepts nothing new and waits for requests in progress, but not for ever (streams never end). */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  await closed;
  clearTimeout(timer);
}
