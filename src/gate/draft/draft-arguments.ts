import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';
import { listBounds, numberBounds, textBounds } from './bounds.ts';
import { textKind } from './kinds.ts';
import { type PlaceRule, placeRule } from './place-rule.ts';
import type { PlaceValues } from './place-values.ts';
import { ArgumentPosition } from './position.ts';
import type { Sketch } from './sketch.ts';
import { TextValues } from './text-values.ts';

export interface ArgumentsDraft {
  readonly schema: Record<string, Json>;
  readonly rules: readonly PlaceRule[];
  /** Arguments that are paths or addresses and have no rule. */
  readonly unbounded: readonly string[];
}

/**
 * Narrows a schema by the kind of each argument and the values found. It accepts every value from
 * which the sketch was made and that the schema accepts.
 */
export function draftArguments(
  schema: JsonObject,
  sketch: Sketch | undefined,
  places: PlaceValues,
): ArgumentsDraft {
  const narrowing = new Narrowing(places);
  const narrowed = narrowing.narrow(schema, sketch, ArgumentPosition.root, '') as JsonObject;
  return { schema: narrowed, rules: narrowing.rules, unbounded: narrowing.unbounded };
}

class Narrowing {
  readonly rules: PlaceRule[] = [];
  readonly unbounded: string[] = [];
  readonly #places: PlaceValues;

  constructor(places: PlaceValues) {
    this.#places = places;
  }

  narrow(schema: Json, sketch: Sketch | undefined, at: ArgumentPosition, name: string): Json {
    if (!isJsonObject(schema) || 'enum' in schema || 'const' in schema) return schema;
    const types = [schema.type ?? []].flat() as string[];
    const here = at.of(types);
    const bounds: Record<string, Json> = {};
    if (types.includes('string')) Object.assign(bounds, this.#text(schema, sketch, here, name));
    if (types.includes('integer') || types.includes('number')) {
      Object.assign(bounds, numberBounds(name, sketch));
    }
    const narrowed = { ...schema, ...tighter(schema, bounds) };
    if (types.includes('array')) return this.#list(narrowed, sketch, here, name);
    return types.includes('object') ? this.#fields(narrowed, sketch, here) : narrowed;
  }

  #text(
    { format, type }: JsonObject,
    sketch: Sketch | undefined,
    at: ArgumentPosition,
    name: string,
  ): Record<string, Json> {
    const kind = textKind(name, format, sketch?.texts);
    const bounds = textBounds(kind, sketch);
    // An enumeration would exclude values of another type.
    if (Array.isArray(type)) delete bounds.enum;
    if (kind !== 'path' && kind !== 'url') return bounds;
    const rule = placeRule(
      kind,
      this.#places.lookUp(kind, name, sketch?.texts ?? new TextValues()),
      at,
    );
    if (rule) this.rules.push(rule);
    else this.unbounded.push(at.name);
    // The rule bounds the length by its cost; a sum over a list would be refused at load.
    return rule && (at.place.isRepeated || rule.isLong) ? {} : bounds;
  }

  #list(
    schema: JsonObject,
    sketch: Sketch | undefined,
    at: ArgumentPosition,
    name: string,
  ): JsonObject {
    const { items = true } = schema;
    const inner = this.narrow(items, sketch?.items, at.items(), name);
    return { ...schema, items: inner, ...tighter(schema, listBounds(sketch)) };
  }

  #fields(schema: JsonObject, sketch: Sketch | undefined, at: ArgumentPosition): JsonObject {
    const { properties, required } = schema;
    if (!isJsonObject(properties)) return schema;
    const always = new Set(Array.isArray(required) ? required : []);
    const narrowed = Object.entries(properties).map(([name, field]) => {
      const found = sketch?.fields.get(name);
      return [name, this.narrow(field, found, at.field(name, always.has(name)), name)];
    });
    return { ...schema, properties: Object.fromEntries(narrowed) };
  }
}

/** Bounds that the schema does not have, or has less tightly. */
function tighter(schema: JsonObject, bounds: Record<string, Json>): Record<string, Json> {
  const found = Object.entries(bounds).filter(([keyword, value]) => {
    const known = schema[keyword];
    if (typeof known !== 'number' || typeof value !== 'number') return true;
    return keyword.startsWith('min') ? value > known : value < known;
  });
  return Object.fromEntries(found);
}
