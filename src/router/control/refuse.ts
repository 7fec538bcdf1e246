import type { ServerResponse } from 'node:http';
import type { Fault } from '../../kernel/index.ts';
import { refusalBody } from '../inbound/caller.ts';

/** An answer on the control socket that says no. */
export function refuse(response: ServerResponse, reason: Fault): void {
  if (response.destroyed) return;
  response.writeHead(reason.definition.status, { 'content-type': 'application/json' });
  response.end(refusalBody(reason));
}
