import {
  acceptedContent,
  completable,
  inputRequired,
  type McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { png, text } from './samples.ts';

/** The resources that the conformance suite reads. */
export function registerResources(server: McpServer): void {
  const plain = { mimeType: 'text/plain', description: 'A text.' };
  const words = 'This is the content of the static text resource.';
  server.registerResource('text', 'test://static-text', plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: words }],
  }));
  const binary = { mimeType: 'image/png', description: 'A picture.' };
  server.registerResource('binary', 'test://static-binary', binary, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }));
  server.registerResource('watched', 'test://watched-resource', plain, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'watched' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const json = { mimeType: 'application/json', description: 'Data by id.' };
  server.registerResource('template', template, json, ({ href }, { id }) => {
    const value = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri: href, mimeType: 'application/json', text: value }] };
  });
}

const user = 'user' as const;
const described = { description: 'For the suite.' };

/** The prompts that the conformance suite gets. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', described, () => ({
    messages: [{ role: user, content: text('This is a simple prompt for testing.') }],
  }));
  const cities = ['paris', 'park', 'party', 'prague'];
  const suggested = completable(z.string(), (value) =>
    cities.filter((city) => city.startsWith(value)),
  );
  const two = z.object({ arg1: suggested, arg2: z.string() });
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...described, argsSchema: two },
    ({ arg1, arg2 }) => ({
      messages: [
        { role: user, content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) },
      ],
    }),
  );
  registerEmbedding(server);
  const context = z.object({ context: z.string() });
  server.registerPrompt('test_input_required_result_prompt', described, ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'user_context', context);
    if (answer) return { messages: [{ role: user, content: text(answer.context) }] };
    const message = 'What context should the prompt use?';
    const question = inputRequired.elicit({ message, requestedSchema: context });
    return inputRequired({ inputRequests: { user_context: question } });
  });
}

function registerEmbedding(server: McpServer): void {
  const argsSchema = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described, argsSchema },
    (given) => {
      const value = 'Embedded resource content for testing.';
      const resource = { uri: given.resourceUri, mimeType: 'text/plain', text: value };
      return {
        messages: [
          { role: user, content: { type: 'resource', resource } },
          { role: user, content: text('Please process the embedded resource above.') },
        ],
      };
    },
  );
  server.registerPrompt('test_prompt_with_image', described, () => ({
    messages: [
      { role: user, content: { type: 'image', data: png, mimeType: 'image/png' } },
      { role: user, content: text('Please analyze the image above.') },
    ],
  }));
}
