import { inputRequired, type McpServer } from '@modelcontextprotocol/server';
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

/** Tools of the suite for the older revision; written once, the SDK asks in either way. */
export function registerOlderTools(server: McpServer): void {
  const register = (
    name: string,
    inputSchema: z.ZodObject,
    question: (given: Record<string, unknown>) => ReturnType<typeof inputRequired.elicit>,
    answered: (answer: Record<string, unknown>) => string,
  ): void => {
    server.registerTool(
      name,
      { description: 'For the suite.', inputSchema },
      (given, { mcpReq }) => {
        const answer = mcpReq.inputResponses?.asked as Record<string, unknown> | undefined;
        if (answer) return said(answered(answer));
        return inputRequired({ inputRequests: { asked: question(given) } });
      },
    );
  };
  const elicited = ({ action, content }: Record<string, unknown>): string =>
    `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
  register(
    'test_sampling',
    z.object({ prompt: z.string() }),
    ({ prompt }) =>
      inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
        maxTokens: 100,
      }),
    ({ content }) => `LLM response: ${(content as { text?: string }).text ?? ''}`,
  );
  register(
    'test_elicitation',
    z.object({ message: z.string() }),
    ({ message }) => inputRequired.elicit({ message: String(message), requestedSchema: person }),
    (answer) => `User response: ${JSON.stringify(answer)}`,
  );
  for (const [name, requestedSchema] of [
    ['test_elicitation_sep1034_defaults', defaults],
    ['test_elicitation_sep1330_enums', enums],
  ] as const) {
    const question = () => inputRequired.elicit({ message: 'Please fill in', requestedSchema });
    register(name, z.object({}), question, elicited);
  }
}
