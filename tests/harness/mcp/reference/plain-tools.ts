import { setTimeout as delay } from 'node:timers/promises';
import { fromJsonSchema, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { png, said, text, wav } from './samples.ts';

const none = { description: 'For the suite.', inputSchema: z.object({}) };

/** Tools that answer by themselves, by the names that the conformance suite calls them. */
export function registerPlainTools(server: McpServer): void {
  registerContents(server);
  server.registerTool('test_error_handling', none, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, none, (_, context) => logSteps(context));
  }
  server.registerTool('test_tool_with_progress', none, (_, context) => tellProgress(context));
  registerSchemas(server);
}

function registerContents(server: McpServer): void {
  const image = { type: 'image' as const, data: png, mimeType: 'image/png' };
  const embed = (uri: string, mimeType: string, value: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text: value },
  });
  server.registerTool('test_simple_text', none, () =>
    said('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', none, () => ({ content: [image] }));
  server.registerTool('test_audio_content', none, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }));
  const embedded = 'This is an embedded resource content.';
  server.registerTool('test_embedded_resource', none, () => ({
    content: [embed('test://embedded-resource', 'text/plain', embedded)],
  }));
  const json = '{"test":"data","value":123}';
  server.registerTool('test_multiple_content_types', none, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embed('test://mixed-content-resource', 'application/json', json),
    ],
  }));
}

const stepMs = 50;

async function logSteps({ mcpReq }: ServerContext) {
  await mcpReq.log('info', 'Tool execution started');
  await delay(stepMs);
  await mcpReq.log('info', 'Tool processing data');
  await delay(stepMs);
  await mcpReq.log('info', 'Tool execution completed');
  return said('logged');
}

async function tellProgress({ mcpReq }: ServerContext) {
  const { progressToken } = mcpReq._meta ?? {};
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await delay(stepMs);
    if (progressToken === undefined) continue;
    const params = { progressToken, progress, total: 100, message: `step ${progress}` };
    await mcpReq.notify({ method: 'notifications/progress', params });
  }
  return said('done');
}

function registerSchemas(server: McpServer): void {
  const inputSchema = fromJsonSchema({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  });
  server.registerTool('json_schema_2020_12_tool', { ...none, inputSchema }, () => said('valid'));
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const headed = fromJsonSchema<{ region: string }>({
    type: 'object',
    properties: { region },
    required: ['region'],
  } as never);
  server.registerTool('test_x_mcp_header', { ...none, inputSchema: headed }, (given) =>
    said(`in ${given.region}`),
  );
}
