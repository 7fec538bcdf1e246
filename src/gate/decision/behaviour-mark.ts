import type { Json, JsonObject } from '../../kernel/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

/**
 * Two letters for the ledger that say how a call looks: the shape of its arguments, and its target.
 * The drift monitor compares how often each occurs. Six bits are enough for that, and too few to
 * find out what the arguments were.
 */
export function behaviourMark(given: JsonObject, resources: readonly string[]): string {
  return letterOf(hashShape(seed, given, depthMax)) + letterOf(hashText(seed, targetOf(resources)));
}

const seed = 0x811c9dc5;
const depthMax = 3;

const letterOf = (hash: number): string =>
  alphabet[(hash ^ (hash >>> 6) ^ (hash >>> 15)) & 63] as string;

/** The directory of the first resource: single files change all the time. */
function targetOf([first = '']: readonly string[]): string {
  const end = first.lastIndexOf('/');
  return end > 0 ? first.slice(0, end) : first;
}

/** Names and types of the arguments, in any order; values do not count. */
function hashShape(start: number, value: Json, depth: number): number {
  if (value === null || typeof value !== 'object') return hashText(start, typeof value);
  if (Array.isArray(value)) return hashText(start, value.length === 0 ? 'none' : 'list');
  const fields = value as JsonObject;
  let sum = start;
  for (const name in fields) {
    const named = hashText(start, name);
    // A sum does not depend on the order of the names.
    sum = (sum + (depth > 0 ? hashShape(named, fields[name] as Json, depth - 1) : named)) | 0;
  }
  return sum;
}

/** FNV-1a. */
function hashText(start: number, text: string): number {
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}
