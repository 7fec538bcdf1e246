import { isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import { type SchemaRelation, saysMore, subschemas, typesOf } from './schema-walk.ts';

/**
 * The schema with undeclared properties forbidden at every level. A level with its own
 * `additionalProperties` keeps it.
 */
export function closeObjects(schema: JsonObject): JsonObject {
  return close(schema, 'value') as JsonObject;
}

function close(schema: Json, standing: SchemaRelation): Json {
  if (!isJsonObject(schema) || standing === 'aside') return schema;
  const closed = closeMembers(schema);
  if (standing !== 'value' || !mayBeObject(schema) || saysWhatElse(schema)) return closed;
  // Only `unevaluatedProperties` considers what a `$ref` or an `anyOf` declares.
  const keyword = saysMore(schema) ? 'unevaluatedProperties' : 'additionalProperties';
  return { ...closed, [keyword]: false };
}

function closeMembers(schema: JsonObject): JsonObject {
  const closed: Record<string, Json> = { ...schema };
  for (const { schema: inner, path, standing } of subschemas(schema)) {
    const [keyword = '', key] = path as [string, (string | number)?];
    const member = close(inner, standing);
    if (key === undefined) closed[keyword] = member;
    else closed[keyword] = withMember(closed[keyword], key, member);
  }
  return closed;
}

function withMember(members: Json | undefined, key: string | number, member: Json): Json {
  if (Array.isArray(members)) return members.with(Number(key), member);
  return { ...(members as JsonObject), [key]: member };
}

function mayBeObject(schema: JsonObject): boolean {
  if ('const' in schema || 'enum' in schema) return false;
  return typesOf(schema)?.includes('object') ?? true;
}

function saysWhatElse(schema: JsonObject): boolean {
  return 'additionalProperties' in schema || 'unevaluatedProperties' in schema;
}
