import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';

const wordCharsMax = 40;
const valuesMax = 12;

/**
 * By the name of a field, the short texts that requests and answers held in it, in order: if it is
 * an enumeration, these are its members.
 */
export function observedValues(hops: readonly Hop[]): ReadonlyMap<string, readonly Json[]> {
  const values = new Map<string, Set<Json>>();
  const note = (name: string, value: Json): void => {
    if (Array.isArray(value)) for (const item of value as readonly Json[]) note(name, item);
    else if (isJsonObject(value)) {
      for (const [member, held] of Object.entries(value)) note(member, held);
    } else if (typeof value === 'string' && isWord(value)) {
      const held = values.get(name) ?? new Set();
      if (held.size < valuesMax) held.add(value);
      values.set(name, held);
    }
  };
  for (const { requestBody, responseBody } of hops) {
    note('', requestBody);
    note('', responseBody);
  }
  return new Map([...values].map(([name, held]) => [name, [...held]]));
}

/** Neither an id, a date nor a secret. */
function isWord(text: string): boolean {
  return text !== '' && text.length <= wordCharsMax && !/\d{3}|^\[redacted/.test(text);
}
