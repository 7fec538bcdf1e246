import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { fault } from '../kernel/index.ts';

/** How long a caller may take to send its request, or we to see it through at the end. */
const requestMsMax = 30_000;
const drainMsMax = 3_000;

export async function listen(api: Hono, port: number): Promise<{ server: Server; port: number }> {
  const host = '127.0.0.1';
  const server = createServer(getRequestListener(api.fetch));
  server.requestTimeout = requestMsMax;
  server.headersTimeout = requestMsMax;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? fault('PORT_TAKEN', { port, host }, error) : error);
    });
    server.listen(port, host, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

/** Takes nothing new, waits for what is under way, and then no longer (streams never end). */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainMsMax);
  await closed;
  clearTimeout(timer);
}
