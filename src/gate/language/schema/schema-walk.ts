import { isJsonObject, type Json, type JsonObject, tryOr } from '../../../kernel/index.ts';

/**
 * The relation of a schema to its parent. `value`: it describes another value. `same`: it describes
 * the same value further. `aside`: it does not declare anything (`not`, `contains`,
 * `propertyNames`).
 */
export type SchemaRelation = 'value' | 'same' | 'aside';

export type SchemaPath = readonly (string | number)[];

export interface Subschema {
  readonly schema: Json;
  readonly path: SchemaPath;
  readonly standing: SchemaRelation;
}

const one: Readonly<Record<string, SchemaRelation>> = {
  additionalProperties: 'value',
  unevaluatedProperties: 'value',
  items: 'value',
  unevaluatedItems: 'value',
  if: 'same',
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: 'same',
  else: 'same',
  not: 'aside',
  contains: 'aside',
  propertyNames: 'aside',
};

const many: Readonly<Record<string, SchemaRelation>> = {
  properties: 'value',
  patternProperties: 'value',
  prefixItems: 'value',
  allOf: 'same',
  anyOf: 'same',
  oneOf: 'same',
  dependentSchemas: 'same',
  $defs: 'same',
};

/** The direct subschemas of a schema. */
export function subschemas(schema: JsonObject): Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]): Subschema[] => {
    const single = Object.hasOwn(one, keyword) ? one[keyword] : undefined;
    if (single) return [{ schema: value, path: [keyword], standing: single }];
    const standing = Object.hasOwn(many, keyword) ? many[keyword] : undefined;
    if (!standing) return [];
    return entriesOf(value).map(([key, inner]) => ({
      schema: inner,
      path: [keyword, key],
      standing,
    }));
  });
}

function entriesOf(value: Json): [string | number, Json][] {
  if (Array.isArray(value)) return value.map((item: Json, index) => [index, item]);
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** A schema and all its subschemas. Everything inside of an `aside` is aside as well. */
export function* walkSchema(
  schema: Json,
  path: SchemaPath = [],
  standing: SchemaRelation = 'value',
): Generator<Subschema> {
  yield { schema, path, standing };
  if (!isJsonObject(schema)) return;
  for (const inner of subschemas(schema)) {
    const below = standing === 'aside' ? 'aside' : inner.standing;
    yield* walkSchema(inner.schema, [...path, ...inner.path], below);
  }
}

/** The target of `#/…` in the same document, or undefined. */
export function resolveReference(root: JsonObject, reference: string): Json | undefined {
  if (!/^#(?:\/|$)/.test(reference)) return undefined;
  let at: Json | undefined = root;
  for (const token of reference.split('/').slice(1)) {
    const key = tryOr(() => decodeURIComponent(token), token)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~');
    if (Array.isArray(at)) at = (at as readonly Json[])[Number(key)];
    else at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** Whether a schema stays small when every `$ref` is followed. A few doubling references do not. */
export function isSmall(root: JsonObject, partsMax = 10_000): boolean {
  const waiting: { readonly schema: Json; readonly depth: number }[] = [{ schema: root, depth: 0 }];
  for (let parts = 0; waiting.length > 0; parts++) {
    if (parts > partsMax) return false;
    const { schema, depth } = waiting.pop() as { schema: Json; depth: number };
    if (!isJsonObject(schema) || depth > 16) continue;
    const { $ref } = schema;
    const target = typeof $ref === 'string' ? resolveReference(root, $ref) : undefined;
    if (target !== undefined) waiting.push({ schema: target, depth: depth + 1 });
    for (const { schema: inner, path } of subschemas(schema)) {
      if (path[0] !== '$defs') waiting.push({ schema: inner, depth: depth + 1 });
    }
  }
  return true;
}

export function typesOf(schema: JsonObject): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.map(String) : undefined;
}

export function saysMore(schema: JsonObject): boolean {
  return (
    '$ref' in schema ||
    subschemas(schema).some(({ standing, path }) => standing === 'same' && path[0] !== '$defs')
  );
}
