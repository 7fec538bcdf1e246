import type { ServiceClient } from '../../shared/http-client.ts';
import type { Reply, Route, ServiceRequest } from '../../shared/route.ts';
import type { Authorise, Scope } from './auth.ts';

/** The public API. Everything else that the services can do is not reachable from outside. */
const PUBLIC_ROUTES: { method: 'GET' | 'POST'; path: string; scope: Scope }[] = [
  { method: 'POST', path: '/orders', scope: 'orders:write' },
  { method: 'GET', path: '/orders/:id', scope: 'orders:read' },
  { method: 'POST', path: '/orders/:id/payment', scope: 'orders:write' },
  { method: 'POST', path: '/trades', scope: 'trades:write' },
  { method: 'GET', path: '/trades/:id', scope: 'trades:read' },
];

export function edgeRoutes(authorise: Authorise, orders: ServiceClient): Route[] {
  return PUBLIC_ROUTES.map(({ method, path, scope }) => ({
    method,
    path,
    handle: async (request) => {
      const client = authorise(request.headers.authorization, scope);
      request.log.info('authorised', { client, scope });
      return forward(request, method, orders);
    },
  }));
}

async function forward(
  { path, json, requestId }: ServiceRequest,
  method: 'GET' | 'POST',
  orders: ServiceClient,
): Promise<Reply> {
  const call = { method, path, requestId };
  return method === 'POST' ? orders({ ...call, body: await json() }) : orders(call);
}
