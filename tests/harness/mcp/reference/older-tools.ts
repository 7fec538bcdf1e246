import { setTimeout as delay } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { said } from './samples.ts';

const text = (description: string) => ({ type: 'string' as const, description });

const person = {
  type: 'object' as const,
  properties: { username: text("User's response"), email: text("User's email address") },
  required: ['username', 'email'],
};

const defaults = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: {
      type: 'string' as const,
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean' as const, default: true },
  },
};

const options = ['option1', 'option2', 'option3'];
const titled = ['First', 'Second', 'Third'].map((title, index) => ({
  const: `value${index + 1}`,
  title: `${title} Option`,
}));

const enums = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: options },
    titledSingle: { type: 'string' as const, oneOf: titled },
    legacyEnum: {
      type: 'string' as const,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: options } },
    titledMulti: { type: 'array' as const, items: { anyOf: titled } },
  },
};

/** Tools of the suite for the older revisions: they ask while they run, as only those can. */
export function registerOlderTools(server: McpServer): void {
  const described = (inputSchema: z.ZodObject) => ({ description: 'For the suite.', inputSchema });
  server.registerTool(
    'test_sampling',
    described(z.object({ prompt: z.string() })),
    async ({ prompt }, { mcpReq }) => {
      const messages = [
        { role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } },
      ];
      const params = { messages, maxTokens: 100 };
      const { content } = await mcpReq.send({ method: 'sampling/createMessage', params });
      return said(`LLM response: ${(content as { text?: string }).text ?? ''}`);
    },
  );
  server.registerTool(
    'test_elicitation',
    described(z.object({ message: z.string() })),
    async ({ message }, { mcpReq }) => {
      const params = { message: String(message), requestedSchema: person };
      const answer = await mcpReq.send({ method: 'elicitation/create', params });
      return said(`User response: ${JSON.stringify(answer)}`);
    },
  );
  for (const [name, requestedSchema] of [
    ['test_elicitation_sep1034_defaults', defaults],
    ['test_elicitation_sep1330_enums', enums],
  ] as const) {
    server.registerTool(name, described(z.object({})), async (_, { mcpReq }) => {
      const params = { message: 'Please fill in', requestedSchema };
      const { action, content } = await mcpReq.send({ method: 'elicitation/create', params });
      const given = JSON.stringify(content ?? {});
      return said(`Elicitation completed: action=${action}, content=${given}`);
    });
  }
  // Its client has to come back for the answer.
  server.registerTool('test_reconnection', described(z.object({})), async (_, { http }) => {
    http?.closeSSE?.();
    await delay(100);
    return said('You came back.');
  });
}
