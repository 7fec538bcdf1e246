import { sharedLimits } from '../limits.ts';
import { isJsonObject, type Json } from './json.ts';

export type FieldType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export function fieldTypeOf(value: Json): FieldType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as FieldType;
}

/**
 * The shape of one value as JSON: `{"items[].price":["number"]}`. Names that are data themselves,
 * such as ids, are told as `*`, and places beyond a limit are not told.
 */
export function shapeText(value: Json): string {
  const shape = new Map<string, Set<FieldType>>();
  const parts: [place: string, value: Json][] = [['', value]];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [place, member] = part;
    const types = shape.get(place) ?? new Set();
    if (types.size === 0 && shape.size >= sharedLimits.shapePlacesMax) continue;
    shape.set(place, types.add(fieldTypeOf(member)));
    if (parts.length < sharedLimits.shapePlacesMax) parts.push(...membersOf(place, member));
  }
  const entries = [...shape].map(([place, types]) => [place, [...types].toSorted()] as const);
  return JSON.stringify(
    Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1))),
  );
}

const itemsMax = 20;

/** Of a list the first ones: they are alike, or the next request shows that they are not. */
function membersOf(place: string, value: Json): [string, Json][] {
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => [`${place}[]`, item]);
  if (!isJsonObject(value)) return [];
  const prefix = place === '' ? '' : `${place}.`;
  const names = Object.keys(value).slice(0, sharedLimits.shapePlacesMax);
  return names.map((name) => [prefix + fieldName(name), value[name] ?? null]);
}

/** A name that a program has written down has few digits and no signs. */
function fieldName(name: string): string {
  const isData = name.length > 64 || /\d{3}|[^\w$-]/.test(name);
  return isData ? '*' : name;
}
