import { fault } from '../fault.ts';
import { sharedLimits } from '../limits.ts';
import { tooDeep } from './canonical-json.ts';
import type { Json } from './json.ts';

/**
 * JSON.parse, minus everything that two parsers may read differently: duplicate keys, numbers that
 * do not survive a double, lone surrogates, keys that reach a prototype. A gate that reads one
 * value while the executor reads another can be talked past.
 */
export function parseStrictJson(text: string): Json {
  const value = parseSyntax(text);
  scan(text);
  return value;
}

function parseSyntax(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw fault('JSON_INVALID', { reason: (error as Error).message });
  }
}

const numberToken = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

/** The text is already known to be JSON, so tokens can be told apart by their first character. */
function scan(text: string): void {
  const keysOfOpenObjects: (Set<string> | null)[] = [];
  let index = 0;
  while (index < text.length) {
    const character = text[index] as string;
    if (character === '"') {
      index = scanString(text, index, keysOfOpenObjects.at(-1));
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      index = scanNumber(text, index);
    } else {
      if (character === '{') keysOfOpenObjects.push(new Set());
      else if (character === '[') keysOfOpenObjects.push(null);
      else if (character === '}' || character === ']') keysOfOpenObjects.pop();
      if (keysOfOpenObjects.length > sharedLimits.jsonDepthMax) throw tooDeep();
      index++;
    }
  }
}

function scanString(text: string, start: number, keys: Set<string> | null | undefined): number {
  const end = stringEnd(text, start);
  const token = text.slice(start, end);
  const decoded = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (!decoded.isWellFormed()) {
    throw fault('JSON_INVALID', { reason: 'a string holds a lone surrogate' });
  }
  if (keys && isKey(text, end)) addKey(keys, decoded);
  return end;
}

/** By hand: a regular expression overflows its stack on a string of some megabytes. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function isKey(text: string, end: number): boolean {
  let index = end;
  while (/\s/.test(text[index] ?? '')) index++;
  return text[index] === ':';
}

function addKey(keys: Set<string>, key: string): void {
  if (keys.has(key)) throw fault('JSON_INVALID', { reason: `the key "${key}" appears twice` });
  if (key === '__proto__') {
    throw fault('JSON_INVALID', { reason: 'the key "__proto__" is refused' });
  }
  keys.add(key);
}

function scanNumber(text: string, start: number): number {
  numberToken.lastIndex = start;
  const match = numberToken.exec(text) as RegExpExecArray;
  const [token, fraction, exponent] = match;
  const number = Number(token);
  const isInteger = fraction === undefined && exponent === undefined;
  if (isInteger ? !Number.isSafeInteger(number) : !survives(token, number)) {
    throw fault('JSON_INVALID', {
      reason: `the number ${token.slice(0, 40)} does not survive a double; send it as a string`,
    });
  }
  return start + token.length;
}

/**
 * Parsers differ in what they make of more digits than a double has. After the point that changes
 * nothing; in a number past 2^53, or in one that becomes nothing, it makes another number.
 */
function survives(token: string, number: number): boolean {
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER && number !== 0) return true;
  return Number.isFinite(number) && digitsOf(token) === digitsOf(String(number));
}

function digitsOf(token: string): string {
  const digits = token.replace(/[eE].*$/, '').replace(/\D/g, '');
  return digits.replace(/^0+|0+$/g, '');
}
