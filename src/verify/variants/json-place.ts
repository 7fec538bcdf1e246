import { isJsonObject, type Json } from '../../kernel/index.ts';

/** A field of a body: its place, and what it holds. */
export interface JsonPlace {
  readonly place: readonly string[];
  readonly value: Json;
}

const depthMax = 4;

/** All fields; of a list, the list itself and the fields of its first item. */
export function placesIn(json: Json, place: readonly string[] = []): JsonPlace[] {
  const own = place.length === 0 ? [] : [{ place, value: json }];
  if (place.length >= depthMax) return own;
  if (Array.isArray(json)) {
    const [first] = json as readonly Json[];
    return first === undefined
      ? own
      : [...own, ...placesIn(first, [...place, '0']).slice(isPlain(first) ? 0 : 1)];
  }
  if (!isJsonObject(json)) return own;
  return [
    ...own,
    ...Object.entries(json).flatMap(([name, value]) => placesIn(value, [...place, name])),
  ];
}

function isPlain(value: Json): boolean {
  return typeof value !== 'object' || value === null;
}

/** A copy with another value at a place; undefined removes the field. */
export function withValueAt(json: Json, place: readonly string[], value: Json | undefined): Json {
  const [name, ...rest] = place;
  if (name === undefined) return value ?? null;
  if (Array.isArray(json)) {
    const items = json as readonly Json[];
    return items.map((item, index) =>
      String(index) === name ? withValueAt(item, rest, value) : item,
    );
  }
  const object = isJsonObject(json) ? json : {};
  if (rest.length > 0) return { ...object, [name]: withValueAt(object[name] ?? null, rest, value) };
  const { [name]: _, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

/** `items[0].sku`. */
export function formatPlace(place: readonly string[]): string {
  return place.reduce(
    (text, name) =>
      /^\d+$/.test(name) ? `${text}[${name}]` : text === '' ? name : `${text}.${name}`,
    '',
  );
}
