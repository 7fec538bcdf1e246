import { jsonDepthMax } from './limits.ts';

/**
 * RFC 8785, as the runtime writes the arguments that it hashes. Whatever JSON cannot carry exactly
 * is refused by throwing: two values that look alike on the wire must not share a grant.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'object') throw new TypeError(`${String(value)} is not JSON`);
  if (depth >= jsonDepthMax) throw new TypeError('it is nested too deep');
  return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
}

// With the flag `u` a pair of surrogates is one character, so that only a lone one is found.
const loneSurrogate = /\p{Surrogate}/u;

function writeString(text: string): string {
  if (loneSurrogate.test(text)) throw new TypeError('a string holds a lone surrogate');
  return JSON.stringify(text);
}

function writeArray(items: readonly unknown[], depth: number): string {
  // By index: a hole is undefined, which is refused, while map() would leave it out.
  const texts: string[] = [];
  for (let index = 0; index < items.length; index++) {
    texts.push(canonicalJson(items[index], depth + 1));
  }
  return `[${texts.join(',')}]`;
}

function writeObject(object: object, depth: number): string {
  const prototype = Object.getPrototypeOf(object);
  // A Date or a Map would become `{}`.
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError('an instance of a class is not JSON');
  }
  // Default order is by UTF-16 code unit, as RFC 8785 asks.
  const members = Object.entries(object)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${writeString(key)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(',')}}`;
}
