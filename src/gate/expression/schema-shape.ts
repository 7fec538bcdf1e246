import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { any, bool, double, int, joinShapes, listOf, text, type ValueShape } from './shape.ts';

/**
 * Converts a JSON Schema to a shape. Whatever the schema leaves open, or expresses in an
 * unsupported way, is `any` and checked at run time.
 */
export function shapeOfSchema(schema: JsonObject): ValueShape {
  return read(schema, { root: schema, depth: 0 });
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
}

/** A recursive schema is cut off here; deeper values are `any`. */
const depthMax = 16;

function read(schema: Json | undefined, { root, depth }: Place): ValueShape {
  if (!isJsonObject(schema) || depth > depthMax) return any;
  const inner = { root, depth: depth + 1 };
  if (typeof schema.$ref === 'string') return read(resolve(schema.$ref, root), inner);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return joinAll(choices.map((choice) => read(choice, inner)));
  if (schema.allOf || schema.if) return any;
  if (Array.isArray(schema.enum)) return joinAll(schema.enum.map(shapeOfValue));
  if (schema.const !== undefined) return shapeOfValue(schema.const);
  return readType(schema, typeOf(schema), inner);
}

function typeOf({ type, properties, items }: JsonObject): Json | undefined {
  if (Array.isArray(type)) return type.length === 1 ? type[0] : undefined;
  return type ?? (properties ? 'object' : items ? 'array' : undefined);
}

function readType(schema: JsonObject, type: Json | undefined, place: Place): ValueShape {
  switch (type) {
    case 'boolean':
      return bool;
    case 'null':
      return { kind: 'null' };
    case 'integer':
      return { ...int, ...range(schema) };
    case 'number':
      return { ...double, ...range(schema) };
    case 'string':
      // JSON Schema counts code points, of which each may take two units.
      return text(typeof schema.maxLength === 'number' ? schema.maxLength * 2 : undefined);
    case 'array':
      return readList(schema, place);
    case 'object':
      return readObject(schema, place);
    default:
      return any;
  }
}

function range({ minimum, maximum }: JsonObject): { min?: number; max?: number } {
  return {
    ...(typeof minimum === 'number' ? { min: minimum } : {}),
    ...(typeof maximum === 'number' ? { max: maximum } : {}),
  };
}

function readList({ items, prefixItems, maxItems }: JsonObject, place: Place): ValueShape {
  const shape = prefixItems ? any : read(items, place);
  return listOf(shape, typeof maxItems === 'number' ? maxItems : undefined);
}

/** An unnamed key is a mistake, unless the schema allows additional properties. */
function readObject(schema: JsonObject, place: Place): ValueShape {
  const { properties, additionalProperties, patternProperties, required } = schema;
  const entries = Object.entries(isJsonObject(properties) ? properties : {});
  const fields = Object.fromEntries(entries.map(([name, field]) => [name, read(field, place)]));
  const isOpen = patternProperties || (!properties && additionalProperties !== false);
  const open = isJsonObject(additionalProperties)
    ? read(additionalProperties, place)
    : additionalProperties === true || isOpen
      ? any
      : undefined;
  return {
    kind: 'object',
    fields,
    ...(Array.isArray(required) ? { required: required as readonly string[] } : {}),
    ...(open ? { open: patternProperties ? any : open } : {}),
  };
}

function shapeOfValue(value: Json): ValueShape {
  switch (typeof value) {
    case 'string':
      return text(value.length);
    case 'number':
      return Number.isSafeInteger(value) ? int : double;
    case 'boolean':
      return bool;
    default:
      return value === null ? { kind: 'null' } : any;
  }
}

function joinAll(shapes: readonly ValueShape[]): ValueShape {
  const [first = any, ...rest] = shapes;
  return rest.reduce((sum, shape) => joinShapes(sum, shape) ?? any, first);
}

/** Resolves references within the same document only. */
function resolve(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  const names = reference.slice(1).split('/').slice(1);
  return names.reduce<Json | undefined>((at, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}
