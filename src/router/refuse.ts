import type { ServerResponse } from 'node:http';
import type { Fault } from '../kernel/index.ts';
import type { Route } from './route.ts';

/**
 * Somebody who was never told to go on may still send the body, or may not: nobody could tell where
 * the next request begins.
 */
export function settleExpectation(response: ServerResponse): void {
  const { headers, complete } = response.req;
  if (headers.expect && !complete) response.shouldKeepAlive = false;
}

/** An answer of the router itself. */
export function refuse(response: ServerResponse, reason: Fault, route?: Route): void {
  if (response.destroyed) return;
  if (route?.isIngress) response.setHeader('x-surety-lane', route.lane);
  settleExpectation(response);
  response.writeHead(reason.definition.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ fault: reason.report() })}\n`);
}
