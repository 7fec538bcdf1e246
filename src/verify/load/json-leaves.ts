import { isJsonObject, type Json } from '../../kernel/index.ts';

/** Every value that is neither object nor list, with its place: `items.0.price`. */
export function leavesOf(json: Json, place = ''): [place: string, value: Json][] {
  if (!isJsonObject(json) && !Array.isArray(json)) return [[place, json]];
  return Object.entries(json).flatMap(([name, value]) =>
    leavesOf(value, place === '' ? name : `${place}.${name}`),
  );
}
