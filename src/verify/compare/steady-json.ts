import { isJsonObject, type Json, type JsonObject } from '../../kernel/index.ts';

/** Larger whole numbers are timestamps or ids. */
const momentsMin = 1e9;

/** Without ids and times, which differ each time. */
export function steadyJson(value: Json): Json {
  if (typeof value === 'string') return steadyText(value);
  if (typeof value === 'number') return Math.abs(value) >= momentsMin ? 0 : value;
  if (Array.isArray(value)) return value.map(steadyJson);
  return isJsonObject(value) ? steadyMembers(value) : value;
}

function steadyMembers(value: JsonObject): JsonObject {
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [steadyText(name), steadyJson(member)]),
  );
}

/** An id has at least three digits; a plain number of a few digits is an amount or a code. */
export function steadyText(text: string): string {
  return text.replace(/[\w-]+/g, (word) => (isId(word) ? '0' : word));
}

function isId(word: string): boolean {
  return (word.match(/\d/g)?.length ?? 0) >= 3 && !/^-?\d{1,8}$/.test(word);
}
