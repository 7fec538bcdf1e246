import { fault } from '../fault.ts';
import { sharedLimits } from '../limits.ts';
import type { Json, JsonObject } from './json.ts';

/**
 * RFC 8785 (JSON Canonicalization Scheme): one byte sequence per value, so that a hash of it names
 * the value. Anything JSON cannot carry exactly is refused: a value that silently changed on its
 * way into the ledger would make the hash a lie.
 */
export function canonicalJson(value: Json): string {
  return write(value, 0);
}

function write(value: Json, depth: number): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw fault('JSON_INVALID', { reason: `a ${typeof value} is not JSON` });
  }
  if (value === null) return 'null';
  if (depth >= sharedLimits.jsonDepthMax) throw tooDeep();
  return Array.isArray(value) ? writeArray(value, depth) : writeObject(value as JsonObject, depth);
}

/** Nothing to escape and nothing to check: by far the most texts are like that. */
const plain = /^[ !#-[\]-~]*$/;

function writeString(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) {
    throw fault('JSON_INVALID', { reason: 'a string holds a lone surrogate' });
  }
  // ECMAScript's own string escaping is the one that RFC 8785 prescribes.
  return JSON.stringify(text);
}

function writeNumber(number: number): string {
  if (!Number.isFinite(number)) throw fault('JSON_INVALID', { reason: `${number} is not JSON` });
  // String(-0) is "0", as RFC 8785 asks.
  return String(number);
}

function writeArray(items: readonly Json[], depth: number): string {
  const texts = writeTexts(items);
  if (texts !== undefined) return texts;
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    text += write(items[index] as Json, depth + 1);
  }
  return `${text}]`;
}

/** Lists of texts are the largest part of most rows. Undefined unless all are well-formed. */
function writeTexts(items: readonly Json[]): string | undefined {
  for (const item of items) if (typeof item !== 'string') return undefined;
  const text = JSON.stringify(items);
  // Lone surrogates are escaped like this, and must be refused.
  return text.includes('\\ud') ? undefined : text;
}

function writeObject(object: JsonObject, depth: number): string {
  refuseExotic(object);
  let text = '{';
  for (const key of sortedKeys(object)) {
    const member = object[key];
    // An optional property that was set to undefined is absent, as in JSON.stringify.
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${writeString(key)}:${write(member, depth + 1)}`;
  }
  return `${text}}`;
}

/** Most objects have few members, and `sort` copies even those several times. */
const insertedKeysMax = 24;

/** By UTF-16 code unit, which is the default sort order and the one that RFC 8785 asks for. */
function sortedKeys(object: JsonObject): readonly string[] {
  const keys = Object.keys(object);
  if (keys.length > insertedKeysMax) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && (keys[place - 1] as string) > key; place--) {
      keys[place] = keys[place - 1] as string;
    }
    keys[place] = key;
  }
  return keys;
}

/** A Date or a Map would become `{}`; losing a value silently is worse than refusing it. */
function refuseExotic(object: object): void {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === Object.prototype || prototype === null) return;
  throw fault('JSON_INVALID', { reason: `a ${object.constructor?.name ?? 'class'} is not JSON` });
}

export function tooDeep(): Error {
  return fault('JSON_TOO_DEEP', { limit: sharedLimits.jsonDepthMax });
}
