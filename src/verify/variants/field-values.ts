import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { CodeHints } from './code-hints.ts';
import type { JsonPlace } from './json-place.ts';
import { roundingTies } from './rounding-ties.ts';

/** Another value for a field. */
export interface FieldValue {
  /** Undefined: the field is left out. */
  readonly value: Json | undefined;
  /** In words: `= -1`, `left out`. */
  readonly text: string;
  /** How likely it shows something; 0 is the most likely. */
  readonly rank: number;
}

export interface ValueSources {
  readonly hints: CodeHints;
  /** The changed code names the field. */
  readonly isNear: boolean;
  /** What requests and answers held in fields of this name. */
  readonly observed: readonly Json[];
  /** What the code of changed services compares fields of this name with. */
  readonly compared: readonly number[];
}

/** Pure: what a field could hold instead. */
export function otherValues({ value }: JsonPlace, sources: ValueSources): FieldValue[] {
  const { observed } = sources;
  const common = [given(null, 0), { value: undefined, text: 'left out', rank: 0 }];
  const own = ownValues(value, sources);
  const others = observed
    .filter((one) => typeof one === typeof value)
    .slice(0, observedMax)
    .map((one) => given(one, 1));
  const all = [...own, ...others, ...common].filter((one) => one.value !== value);
  return [...new Map(all.toReversed().map((one) => [one.text, one])).values()].reverse();
}

function ownValues(value: Json, sources: ValueSources): FieldValue[] {
  const { hints, isNear } = sources;
  if (typeof value === 'number') return numbers(value, sources);
  if (typeof value === 'string') return texts(value, hints, isNear);
  if (typeof value === 'boolean') return [given(!value, 0), given(String(value), 2)];
  if (Array.isArray(value)) return lists(value, hints);
  return isJsonObject(value) ? [given({}, 2)] : [given(0, 1), given('', 1)];
}

const observedMax = 6;
const boundariesMax = 3;

function numbers(value: number, { hints, isNear, compared }: ValueSources): FieldValue[] {
  const near = hints.numbers.filter((one) => one > 1).slice(0, boundariesMax);
  const boundaries = near.flatMap((one, index) =>
    around(one).map((number, step) => given(number, index + (isNear || step === 0 ? 0 : 1))),
  );
  const elsewhere = compared
    .filter((one) => one > 1 && !near.includes(one))
    .slice(0, boundariesMax)
    .flatMap((one) => around(one).map((number) => given(number, isNear ? 0 : 2)));
  const ofRounding = hints.isRounding ? 0 : 2;
  return [
    ...boundaries,
    ...elsewhere,
    ...roundingTies(hints.rates, value).map((number) => given(number, ofRounding)),
    ...manyDigits.map((number) => given(number, ofRounding + 1)),
    given(0, 0),
    given(-1, 0),
    given(-value, 2),
    given(0.5, 2),
    given(String(value), 2),
    given(1e15, 3),
  ];
}

function around(boundary: number): number[] {
  return [0, -0.01, 0.01, -0.5, -1, 1].map((step) => rounded(boundary + step));
}

/** More digits than a short float keeps, the first whole number it can't hold, and 2^31. */
const manyDigits = [99_999, 1_234_567.89, 16_777_217, 2_147_483_648];

function rounded(number: number): number {
  return Math.round(number * 1_000) / 1_000;
}

const wordsMax = 8;
const longLength = 5_000;
const lengthsMax = 2;
/** Numbers above this are no lengths. */
const lengthMax = 2_000;

function texts(value: string, hints: CodeHints, isNear: boolean): FieldValue[] {
  const words = hints.texts.slice(0, wordsMax);
  const unusual = isNear ? 0 : 2;
  const lengths = hints.numbers
    .filter((one) => Number.isInteger(one) && one > 1 && one <= lengthMax)
    .slice(0, lengthsMax);
  return [
    ...words.map((word) => given(word, isNear ? 1 : 2)),
    given('', 0),
    given(swappedCase(value), 0),
    given(` ${value} `, 2),
    given(0, 2),
    ...lengths.flatMap((length) => [length, length + 1].map((one) => long(one, 1))),
    given(`${value} & O'Brien, Ltd. (UK)`, unusual),
    given(`${value}é株🦊`, unusual + 1),
    given(`${value}'"><b>&amp;--`, unusual + 1),
    long(longLength, 3),
  ];
}

function swappedCase(value: string): string {
  const upper = value.toUpperCase();
  return upper === value ? value.toLowerCase() : upper;
}

function long(length: number, rank: number): FieldValue {
  return { value: 'x'.repeat(length), text: `= a text of ${length} characters`, rank };
}

const itemsMax = 1_000;

function lists(value: readonly Json[], hints: CodeHints): FieldValue[] {
  const [first] = value;
  const lengths = hints.numbers.filter((one) => Number.isInteger(one) && one > 1 && one < itemsMax);
  const counts = first === undefined ? [] : [...lengths.slice(0, lengthsMax), 2];
  const filled = counts
    .flatMap((count) => [count, count + 1])
    .map((count) => ({
      value: Array.from({ length: count }, () => first as Json),
      text: `= a list of ${count}`,
      rank: 0,
    }));
  return [given([], 0), ...filled, ...(first === undefined ? [] : [given(first, 2)])];
}

const textCharsMax = 60;

function given(value: Json, rank: number): FieldValue {
  const text = JSON.stringify(value);
  const cut = text.length > textCharsMax ? `${text.slice(0, textCharsMax)}…` : text;
  return { value, text: `= ${cut}`, rank };
}
