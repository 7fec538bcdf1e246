import { z } from 'zod';
import { type Operation, readers } from './operation.ts';

const pinned = z.object({
  tool: z.string().describe('The name that agents use.'),
  server: z.string(),
  state: z.enum(['accepted', 'blocked']),
  accepted: z.string().describe('Hash of the definition that was accepted.'),
  offered: z.string().nullable().describe('Hash of what the server says instead, if it does.'),
});

const compared = pinned.extend({
  acceptedDefinition: z.json().nullable(),
  offeredDefinition: z.json().nullable(),
});

const server = z.object({
  name: z.string().describe('As surety.yaml names it.'),
  isConnected: z.boolean(),
  reason: z.string().nullable().describe('Why it is not connected, if that is known.'),
});

const toolPath = z.strictObject({ tool: z.string() });

/** Tools of the servers behind the gateway, as their servers define them. */
export const mcpOperations = {
  'GET /v1/mcp/tools': {
    summary: 'The tools behind the gateway, which of them are blocked, and their servers.',
    response: z.object({ tools: z.array(pinned), servers: z.array(server) }),
    roles: readers,
  },
  'GET /v1/mcp/tools/{tool}': {
    summary: 'The definition of a tool that was accepted, and the one that is offered.',
    path: toolPath,
    response: compared,
    roles: readers,
  },
  'POST /v1/mcp/tools/{tool}/accept': {
    summary: 'Takes the definition that a server offers now.',
    path: toolPath,
    body: z.strictObject({ hash: z.string().describe('Of the definition that you looked at.') }),
    response: compared,
    roles: ['operator'],
  },
} as const satisfies Record<string, Operation>;
