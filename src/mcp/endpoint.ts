import { createMcpHandler, isJsonContentType } from '@modelcontextprotocol/server';
import type { Client } from '../http/index.ts';
import { fault, type Identity, type Instant, type Log } from '../kernel/index.ts';
import { mcpLimits } from './limits.ts';
import { protocolRefusal } from './protocol-refusal.ts';
import { readBody, Unreadable } from './read-body.ts';
import { createServer } from './server.ts';

export interface OwnEndpointDeps {
  readonly version: string;
  readonly now: () => Instant;
  readonly log: Log;
  /** The API for an authenticated caller. */
  readonly connect: (caller: Identity) => Client;
}

/** Surety's own tools over HTTP, in both revisions, without sessions. */
export function createOwnEndpoint({ version, now, log, connect }: OwnEndpointDeps) {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.caller as Identity;
      return createServer({ actor: caller.actor, version, now, connect: () => connect(caller) });
    },
    { onerror: ({ message }) => log('info', 'mcp-rejected', { reason: message }) },
  );
  return async (request: Request, caller: Identity): Promise<Response> => {
    const authInfo = { token: '', clientId: caller.actor, scopes: [], extra: { caller } };
    if (request.method !== 'POST') return handler.fetch(request, { authInfo });
    try {
      if (!isJsonContentType(request.headers.get('content-type'))) {
        throw new Unreadable(fault('CONTENT_TYPE_REFUSED', {}), 415, -32600);
      }
      const { value: parsedBody } = await readBody(request, mcpLimits.mcpBodyMsMax);
      return await handler.fetch(request, { authInfo, parsedBody });
    } catch (error) {
      return protocolRefusal(error);
    }
  };
}
