import { driftParameters } from '../parameters.ts';
import type { Counts } from '../statistics/divergence.ts';

/** One character per category, so that a block of actions is a short text in a row. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

const othersIndex = alphabet.length - 1;

/** The category of each character code; a table, because blocks are counted often. */
const indexes = Uint8Array.from({ length: 128 }, (_, code) => {
  const index = alphabet.indexOf(String.fromCharCode(code));
  return index < 0 ? othersIndex : index;
});

export const letterOf = (index: number): string => alphabet[index] ?? '_';

export const isLetter = (text: string): boolean => text.length === 1 && alphabet.includes(text);

/** The letter of a name. A new name gets the next one; names beyond the last share one. */
export function letterOfName(
  names: readonly string[],
  name: string,
): { readonly letter: string; readonly names: readonly string[] } {
  const known = names.indexOf(name);
  if (known >= 0) return { letter: letterOf(known), names };
  if (names.length >= driftParameters.categoriesMax)
    return { letter: letterOf(othersIndex), names };
  return { letter: letterOf(names.length), names: [...names, name] };
}

/** The name behind a category; letters of categories without names stand for themselves. */
export function nameOfCategory(names: readonly string[], index: number): string {
  return names[index] ?? (index === othersIndex ? 'others' : letterOf(index));
}

/** How often each category occurs in blocks of actions. */
export function countLetters(blocks: readonly string[], into?: Counts): number[] {
  const counts = into ? [...into] : new Array<number>(alphabet.length).fill(0);
  for (const block of blocks) {
    for (let place = 0; place < block.length; place++) {
      const index = indexes[block.charCodeAt(place)] ?? othersIndex;
      counts[index] = (counts[index] as number) + 1;
    }
  }
  return counts;
}

/** Without the zeros at the end, which is shorter to store. */
export function trimCounts(counts: Counts): number[] {
  return counts.slice(0, counts.findLastIndex((count) => count > 0) + 1);
}

export function addCounts(one: Counts, other: Counts): number[] {
  return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => {
    return (one[index] ?? 0) + (other[index] ?? 0);
  });
}

/** The same length on both sides, as comparisons need it. */
export function widen(counts: Counts): number[] {
  return Array.from(alphabet, (_, index) => counts[index] ?? 0);
}
