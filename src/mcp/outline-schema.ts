import { z } from 'zod';
import type { Json, JsonObject } from '../kernel/index.ts';

/**
 * The depth of an output schema, which is limited because a model reads the schemas of all tools.
 */
const levels = 2;

/** The members that `answerOf` adds to an answer, or puts in its place if it is too long. */
const added: JsonObject = {
  asked: { type: 'object' },
  next: { type: ['string', 'null'] },
  total: { type: 'integer' },
  part: { type: 'string' },
  cut: { type: 'string' },
};

/**
 * The JSON Schema of a tool's answer for clients: the names and types of its members. Nothing is
 * required, because long answers leave members out.
 */
export function outlineSchema(output: z.ZodObject): JsonObject {
  const schema = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as JsonObject;
  const { properties = {} } = outline(schema, levels);
  return { type: 'object', properties: { ...(properties as JsonObject), ...added } };
}

function outline(schema: JsonObject, left: number): JsonObject {
  const { type, anyOf, properties, items } = schema;
  if (Array.isArray(anyOf)) return outlineChoice(anyOf as readonly JsonObject[], left);
  const enumerated = schema.const === undefined ? schema.enum : [schema.const];
  const shown: JsonObject = {
    ...(type === undefined ? {} : { type }),
    ...(enumerated === undefined ? {} : { enum: enumerated }),
  };
  if (left === 0) return shown;
  if (properties) return { ...shown, properties: outlineMembers(properties as JsonObject, left) };
  if (items) return { ...shown, items: outline(items as JsonObject, left) };
  return shown;
}

function outlineMembers(properties: JsonObject, left: number): JsonObject {
  const members = Object.entries(properties);
  return Object.fromEntries(
    members.map(([name, member]) => [name, outline(member as JsonObject, left - 1)]),
  );
}

/** A value or null keeps its shape; any other union may be anything. */
function outlineChoice(choices: readonly JsonObject[], left: number): JsonObject {
  const [one, ...others] = choices.filter(({ type }) => type !== 'null');
  if (!one || others.length > 0 || typeof one.type !== 'string') return {};
  const { enum: values, ...shown } = outline(one, left);
  const nullable: Json = values ? [...(values as readonly Json[]), null] : [];
  return { ...shown, type: [one.type, 'null'], ...(values ? { enum: nullable } : {}) };
}
