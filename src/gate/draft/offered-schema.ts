import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { compilePolicy, resolveReference } from '../language/index.ts';

/** In the order in which people read them. */
const kept = `type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf minItems maxItems uniqueItems required minProperties maxProperties
  properties patternProperties items additionalProperties anyOf oneOf allOf`.split(/\s+/);

export interface UsableSchema {
  readonly schema: JsonObject;
  /** Whether a contract with this schema accepts these arguments. */
  accepts(given: JsonObject): boolean;
}

/**
 * A provider's schema as a contract can have it: without prose, defaults and keywords of older
 * drafts. Undefined if a contract cannot have it.
 */
export function usableSchema(offered: JsonObject): UsableSchema | undefined {
  const cleaner = new SchemaCleaner(offered);
  const schema = cleaner.clean({ properties: {}, ...offered, type: 'object' }) as JsonObject;
  try {
    const tools = { tool: { effect: 'mutating', arguments: schema } };
    const contract = compilePolicy({ version: 1, tools }).contracts.get('tool');
    return { schema, accepts: (given) => contract?.checkArguments(given).length === 0 };
  } catch {
    return undefined;
  }
}

/** Deeper parts of a schema, and parts that contain themselves, may be anything. */
const depthMax = 16;
const partsMax = 2_000;
const declaring = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
const describingFields = ['properties', 'patternProperties', 'additionalProperties'];

class SchemaCleaner {
  readonly #root: JsonObject;
  #parts = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  clean(schema: Json, depth = 0): Json {
    if (!isJsonObject(schema) || depth > depthMax || this.#parts++ > partsMax) return true;
    if (typeof schema.$ref === 'string') {
      return this.clean(resolveReference(this.#root, schema.$ref) ?? true, depth + 1);
    }
    const given = withoutNullBranch(schema);
    const made: Record<string, Json> = {};
    for (const keyword of kept) {
      const value = given[keyword];
      if (value !== undefined) made[keyword] = this.#member(keyword, value, depth + 1);
    }
    if (made.type === undefined && isJsonObject(made.properties)) made.type = 'object';
    if (made.type === 'array') made.items ??= true;
    // A contract closes every object, and of this one the provider says nothing.
    const isOpen = ![...describingFields, ...declaring.slice(1)].some((keyword) => keyword in made);
    if (made.type === 'object' && isOpen) made.additionalProperties = true;
    return declaring.some((keyword) => keyword in made) ? made : true;
  }

  #member(keyword: string, value: Json, depth: number): Json {
    const inner = (member: Json): Json => this.clean(member, depth);
    if (keyword === 'properties' || keyword === 'patternProperties') {
      const named = Object.entries(isJsonObject(value) ? value : {});
      return Object.fromEntries(named.map(([name, member]) => [name, inner(member)]));
    }
    if (['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value)) {
      return value.map(inner);
    }
    const isSchema = keyword === 'items' || keyword === 'additionalProperties';
    return isSchema && typeof value !== 'boolean' ? inner(value) : value;
  }
}

/** `anyOf: [{type: string}, {type: null}]` is `type: [string, null]`, which can be narrowed. */
function withoutNullBranch(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [only, ...more] = anyOf.filter((one) => !isJsonObject(one) || one.type !== 'null');
  if (more.length > 0 || !isJsonObject(only) || typeof only.type !== 'string') return schema;
  const choices = Array.isArray(only.enum) ? { enum: [...only.enum, null] } : {};
  return { ...rest, ...only, ...choices, type: [only.type, 'null'] };
}
