import type { Json } from '../../kernel/index.ts';
import { textFormatOf } from '../compare/index.ts';

/** Milliseconds or seconds since 1970, of this century. */
const epochs = [
  [946_684_800_000, 4_102_444_800_000],
  [946_684_800, 4_102_444_800],
] as const;

/** A number is one only if its name says so: many ids are as large, or are made from the time. */
export function isTimestamp(value: Json, place: string): boolean {
  if (typeof value === 'string') return textFormatOf(value) === 'date-time';
  const isOfCentury = (number: number): boolean =>
    epochs.some(([from, to]) => number >= from && number < to);
  return typeof value === 'number' && isOfCentury(value) && isTimeName(place);
}

const timeWords: ReadonlySet<string> = new Set(
  'at on time timestamp datetime ts date when since until created updated modified'
    .concat(' expires expiry expiration iat exp nbf now epoch')
    .split(' '),
);
const units: ReadonlySet<string> = new Set(
  'ms millis milliseconds s sec secs seconds unix utc'.split(' '),
);

/** By the last word of the name before its unit: `paidAt`, `at.0`, `created_at_ms`. */
function isTimeName(place: string): boolean {
  const name = place.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  const last = words.split(/[^a-z]+/).findLast((word) => word !== '' && !units.has(word));
  return last !== undefined && timeWords.has(last);
}
