import type { ServerResponse } from 'node:http';
import type { Fault } from '../kernel/index.ts';
import type { Route } from './route.ts';

/** An answer of the router itself. */
export function refuse(response: ServerResponse, reason: Fault, route?: Route): void {
  if (response.destroyed) return;
  if (route?.isIngress) response.setHeader('x-surety-lane', route.lane);
  response.writeHead(reason.definition.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ fault: reason.report() })}\n`);
}
