import type { TextValues } from './text-values.ts';
import { wordsOf } from './words.ts';

export type TextKind = 'path' | 'url' | 'id' | 'long' | 'text' | 'other';
export type NumberKind = 'amount' | 'position' | 'count' | 'other';

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const pathWords = wordSet(
  'path paths file files filename filenames filepath filepaths dir directory directories folder folders cwd',
);
const urlWords = wordSet('url urls uri uris href link links endpoint webhook');
const idWords = wordSet(
  'id ids key keys sha hash uuid guid token ref refs number ts cursor name names slug branch revision timestamp',
);
const longWords = wordSet(
  'content contents text texts body code script function sql query statement data html markdown thought prompt diff patch',
);
const textWords = wordSet(
  'message q description comment comments note notes title subject question answer summary topic observations',
);
const amountWords = wordSet(
  'amount amounts price cost fee total sum money cents budget payment refund balance salary',
);
const positionWords = wordSet(
  'offset index start end page id ids number line position timestamp after before',
);
const countWords = wordSet(
  'count limit max min size length width height depth lines head tail steps retries times items rows top replicas instances quantity seconds minutes hours days timeout duration',
);

/** What a text argument is: by its values where they are clear, else by its name. */
export function textKind(name: string, format: unknown, values: TextValues | undefined): TextKind {
  const word = wordsOf(name).at(-1) ?? '';
  if (urlWords.has(word) || format === 'uri') return 'url';
  if (pathWords.has(word)) return 'path';
  if (longWords.has(word)) return 'long';
  if (textWords.has(word)) return 'text';
  if (values && values.times > 0 && values.origins) return 'url';
  if (values && values.times > 0 && values.directories) return 'path';
  return idWords.has(word) ? 'id' : 'other';
}

export function numberKind(name: string): NumberKind {
  const words = wordsOf(name);
  const word = words.at(-1) ?? '';
  if (amountWords.has(word) || words[0] === 'amount') return 'amount';
  if (positionWords.has(word)) return 'position';
  const isCount = countWords.has(word) || words.some((one) => one === 'max' || one === 'per');
  return isCount ? 'count' : 'other';
}

/** With fewer values, bounds are wide. */
export const manyTimes = 10;

export function isMany(values: { readonly times: number } | undefined): boolean {
  return values !== undefined && values.times >= manyTimes;
}
