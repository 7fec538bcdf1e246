import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { said } from './samples.ts';

const none = { description: 'For tests of the gateway.', inputSchema: z.object({}) };
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Tools whose answers show what is lost on the way. */
export function registerExactTools(server: McpServer): void {
  server.registerTool('test_exact_numbers', none, () => ({
    ...said('numbers'),
    structuredContent: { big: rawJSON('12345678901234567890'), one: rawJSON('1.0') },
  }));
  server.registerTool('test_introduction', none, () =>
    said(
      JSON.stringify({
        info: server.server.getClientVersion(),
        capabilities: server.server.getClientCapabilities(),
        revision: server.server.getNegotiatedProtocolVersion(),
      }),
    ),
  );
}
