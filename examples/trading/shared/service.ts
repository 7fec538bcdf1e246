import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpError } from './http-error.ts';
import { createHttpServer, type ServerOptions } from './http-server.ts';
import { addProcessMetrics } from './metrics.ts';
import type { Route } from './route.ts';

export interface Service extends ServerOptions {
  name: string;
  port: number;
  /** Rejects while the service cannot do its work. */
  check?: () => Promise<unknown>;
  /** Releases what the service holds, after its last request. */
  stop?: () => Promise<void>;
}

const DRAIN_MS = 5_000;

/** Serves until SIGTERM or SIGINT, then finishes the requests under way and ends. */
export async function runService(service: Service): Promise<void> {
  addProcessMetrics(service.metrics);
  const routes = [...service.routes, healthRoute(service), metricsRoute(service)];
  const server = createHttpServer({ ...service, routes });
  await listen(server, service.port);
  const { port } = server.address() as AddressInfo;
  service.log.info('listening', { port });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => void shutDown(service, server));
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

async function shutDown(service: Service, server: Server): Promise<void> {
  service.log.info('stopping');
  const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  // An idle keep-alive connection would otherwise hold the server open until the deadline.
  const idle = setInterval(() => server.closeIdleConnections(), 50);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(deadline);
  clearInterval(idle);
  await service.stop?.();
  service.log.info('stopped');
}

function healthRoute(service: Service): Route {
  return {
    method: 'GET',
    path: '/healthz',
    handle: async () => {
      await service.check?.().catch((error: Error) => {
        throw new HttpError(503, 'unhealthy', error.message);
      });
      return { status: 200, body: { status: 'ok', service: service.name } };
    },
  };
}

function metricsRoute(service: Service): Route {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return {
    method: 'GET',
    path: '/metrics',
    handle: () => ({ status: 200, body: service.metrics.text(), headers }),
  };
}
