import { isJsonObject, type Json } from '../kernel/index.ts';

export type FieldType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** The types that were seen at each place of a JSON value: `items[].price` → number. */
export type Shape = ReadonlyMap<string, ReadonlySet<FieldType>>;

/** What all of these values have in common and where they differ. */
export function shapeOf(values: readonly Json[]): Shape {
  const shape = new Map<string, Set<FieldType>>();
  for (const value of values) record(shape, '', value);
  return shape;
}

function record(shape: Map<string, Set<FieldType>>, place: string, value: Json): void {
  const types = shape.get(place) ?? new Set();
  shape.set(place, types.add(typeOf(value)));
  if (Array.isArray(value)) {
    for (const item of value) record(shape, `${place}[]`, item);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      record(shape, place === '' ? name : `${place}.${name}`, member);
    }
  }
}

function typeOf(value: Json): FieldType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as FieldType;
}
