import { z } from 'zod';
import { faultReportSchema } from '../gate/api-schema.ts';
import type { Json, JsonObject } from '../kernel/index.ts';
import { type Operation, operations } from './contract.ts';

/** OpenAPI 3.1, whose schemas are JSON Schema 2020-12: zod's own conversion is enough. */
export function openApiDocument(version: string): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [key, operation] of Object.entries<Operation>(operations)) {
    const [method = '', path = ''] = key.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Surety', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Fault: jsonSchema(faultReportSchema.omit({ details: true })) },
    },
  };
}

function describeOperation(operation: Operation): JsonObject {
  const { summary, path, query, body, response, stream, open, roles = [] } = operation;
  const type = stream ? 'text/event-stream' : 'application/json';
  return {
    summary,
    parameters: [...parameters('path', path), ...parameters('query', query)],
    ...(body ? { requestBody: { required: true, content: content(body) } } : {}),
    responses: {
      200: { description: 'Done.', content: { [type]: { schema: jsonSchema(response) } } },
      default: {
        description: 'A fault.',
        content: { 'application/json': { schema: faultAnswer } },
      },
    },
    security: open ? [] : [{ token: [] }],
    ...(open ? {} : { 'x-roles': [...roles, 'admin'] }),
  };
}

const faultAnswer = {
  type: 'object',
  required: ['fault'],
  properties: { fault: { $ref: '#/components/schemas/Fault' } },
};

function content(schema: z.ZodType): JsonObject {
  return { 'application/json': { schema: jsonSchema(schema) } };
}

function parameters(place: 'path' | 'query', schema: z.ZodObject | undefined): JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(member as z.ZodType, undefined).success,
    schema: jsonSchema(member as z.ZodType),
  }));
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest as JsonObject;
}
