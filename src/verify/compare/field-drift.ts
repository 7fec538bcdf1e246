import { certaintyOf, type Difference } from './difference.ts';
import { type FieldFacts, sampleOf } from './field-facts.ts';
import { isStrict, textFormatOf } from './text-format.ts';

/** How one field differs, without its hop. */
export type Drift = Pick<
  Difference,
  'what' | 'before' | 'after' | 'examples' | 'severity' | 'confidence'
> & { readonly field: string };

interface FieldSides {
  readonly was: FieldFacts;
  readonly is: FieldFacts;
  /** Baseline and control had the same texts here. */
  readonly isStable: boolean;
  /** The numbers of baseline and control, ascending; null if they differ. */
  readonly steadyNumbers: readonly number[] | null;
  /** The texts of baseline and control with their counts; null if they differ. */
  readonly steadyTexts: ReadonlyMap<string, number> | null;
}

type FieldChange =
  | (Pick<Drift, 'what' | 'before' | 'after' | 'severity'> & Partial<Pick<Drift, 'examples'>>)
  | null;

/** The first change of a field; its consequences are not reported. */
export function compareFields(field: string, sides: FieldSides): Drift[] {
  const found =
    changedType(sides) ??
    oftenMissing(field, sides) ??
    emptied(sides) ??
    filled(sides) ??
    changedFormat(sides) ??
    failing(changedWords(sides)) ??
    changedScale(sides) ??
    changedNumbers(field, sides) ??
    changedTexts(field, sides) ??
    changedWords(sides);
  if (!found) return [];
  const { was, is } = sides;
  const examples = { before: sampleOf(was), after: exampleAfter(sides) };
  const confidence = Math.min(certaintyOf(was.present), certaintyOf(was.holders));
  return [{ field, examples, ...found, confidence: is.present > 0 ? confidence : 0 }];
}

function failing(found: FieldChange): FieldChange {
  return found?.severity === 'fail' ? found : null;
}

/** Preferably a value that is new. */
function exampleAfter({ was, is }: FieldSides): Drift['examples']['after'] {
  return [...is.words.keys()].find((word) => !was.words.has(word)) ?? sampleOf(is);
}

function changedType({ was, is }: FieldSides): FieldChange {
  const type = [...is.types].find((one) => !was.types.has(one));
  if (type === undefined) return null;
  return {
    what: 'type-changed',
    examples: { before: sampleOf(was), after: is.samples.get(type) ?? null },
    before: namesOf(was.types),
    after: namesOf(is.types),
    severity: 'fail',
  };
}

/** It was always there, and now is sometimes missing. */
function oftenMissing(field: string, { was, is }: FieldSides): FieldChange {
  if (field === '' || was.present < was.holders || is.present >= is.holders) return null;
  const after = `absent from ${is.holders - is.present} of ${is.holders}`;
  const examples = { before: sampleOf(was), after: null };
  return { what: 'field-missing', before: 'always there', after, examples, severity: 'fail' };
}

function emptied({ was, is }: FieldSides): FieldChange {
  if (was.empty > 0 || is.empty < is.present) return null;
  return { what: 'emptied', before: 'never empty', after: 'always empty', severity: 'fail' };
}

/** A list that held nothing for this request now holds something: perhaps what others own. */
function filled({ was, is }: FieldSides): FieldChange {
  const isList = was.types.has('array') && was.types.size === 1;
  if (!isList || was.empty < was.present || is.empty > 0) return null;
  return { what: 'filled', before: 'always empty', after: 'never empty', severity: 'fail' };
}

/** Only if all texts had one strict format, on which readers may rely. */
function changedFormat({ was, is }: FieldSides): FieldChange {
  const [format, ...others] = was.formats;
  if (format === undefined || others.length > 0 || !isStrict(format)) return null;
  if ([...is.formats].every((one) => one === format)) return null;
  return { what: 'format-changed', before: format, after: namesOf(is.formats), severity: 'fail' };
}

const wordsToBeEnum = 4;

/**
 * A few repeated words are an enumeration. A new word is a notice; but if no known word is left, or
 * one is spelled differently, readers no longer understand it.
 */
function changedWords({ was, is, isStable }: FieldSides): FieldChange {
  const isWords = [...was.formats].every((format) => format === 'word');
  if (!isWords || !isStable || was.words.size === 0 || was.present < wordsToBeEnum) return null;
  const added = [...is.words.keys()].filter((word) => !was.words.has(word));
  if (added.length === 0) return null;
  const spelled = new Set([...was.words.keys()].map(plain));
  const isRespelled = added.some((word) => spelled.has(plain(word)));
  // A single word may be an ordinary value, which is compared elsewhere.
  const isReplaced = was.words.size > 1 && added.length === is.words.size;
  return {
    what: 'values-changed',
    before: namesOf(was.words.keys()),
    after: namesOf(is.words.keys()),
    severity: isRespelled || isReplaced ? 'fail' : 'notice',
  };
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const scales = [100, 1_000, 1_000_000];

/** Cents for euros, seconds for milliseconds: the same numbers times a power of ten. */
function changedScale({ was, is }: FieldSides): FieldChange {
  const [before, after] = [distinct(was.numbers), distinct(is.numbers)];
  if (before.length < 2 || before.length !== after.length) return null;
  const scale = scales.flatMap((one) => [one, 1 / one]).find((one) => isScaled(before, after, one));
  if (scale === undefined) return null;
  const examples = { before: before[0] ?? null, after: after[0] ?? null };
  const factor = { before: 'times 1', after: `times ${scale}` };
  return { what: 'scale-changed', ...factor, examples, severity: 'fail' };
}

/** Names of values that differ from process to process or from moment to moment. */
const ofProcess: ReadonlySet<string> = new Set(
  'pid port uptime started since memory heap seq sequence version duration elapsed at time ms seconds timestamp ts'.split(
    ' ',
  ),
);
/** Larger whole numbers are timestamps or ids. */
const momentsMin = 1e9;

/** Two runs had the same numbers for the same requests, and the candidate has others. */
function changedNumbers(field: string, { is, steadyNumbers }: FieldSides): FieldChange {
  if (steadyNumbers === null || is.numbers.length !== steadyNumbers.length) return null;
  if (isOfProcess(field)) return null;
  if ([...steadyNumbers, ...is.numbers].some((value) => Math.abs(value) >= momentsMin)) return null;
  const now = is.numbers.toSorted((less, more) => less - more);
  const differing = now.findIndex((value, index) => value !== steadyNumbers[index]);
  if (differing < 0) return null;
  const [before, after] = [steadyNumbers[differing], now[differing]].map((value) =>
    is.types.has('boolean') ? value === 1 : (value ?? null),
  );
  const examples = { before: before ?? null, after: after ?? null };
  return {
    what: 'value-changed',
    before: String(before),
    after: String(after),
    examples,
    severity: 'fail',
  };
}

/** Formats of texts that are values; prose for people may be rephrased. */
const valueFormats: ReadonlySet<string> = new Set([
  'date',
  'whole number',
  'decimal number',
  'grouped number',
  'truth value',
]);

/** Two runs had the same words, dates or amounts, and the candidate has others. */
function changedTexts(field: string, { is, was, steadyTexts }: FieldSides): FieldChange {
  if (steadyTexts === null || isOfProcess(field)) return null;
  if (countOf(is.words) !== countOf(steadyTexts)) return null;
  if (![...was.words.keys(), ...is.words.keys()].every(isValueText)) return null;
  const gone = [...steadyTexts].find(([text, count]) => (is.words.get(text) ?? 0) < count)?.[0];
  const come = [...is.words].find(([text, count]) => (steadyTexts.get(text) ?? 0) < count)?.[0];
  if (gone === undefined || come === undefined) return null;
  const examples = { before: gone, after: come };
  return { what: 'value-changed', ...examples, examples, severity: 'fail' };
}

/** Names with digits mostly differ from run to run. */
function isValueText(text: string): boolean {
  const format = textFormatOf(text);
  const isName = format === 'word' || format === 'id with a prefix';
  return valueFormats.has(format) || (isName && !/\d/.test(text));
}

function countOf(texts: ReadonlyMap<string, number>): number {
  return [...texts.values()].reduce((sum, count) => sum + count, 0);
}

function isOfProcess(field: string): boolean {
  return field.includes('(id)') || wordsIn(field).some((word) => ofProcess.has(word));
}

/** Of the last part of the name: `settledAt` has `settled` and `at`. */
function wordsIn(field: string): string[] {
  const name = field.slice(field.lastIndexOf('.') + 1);
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

function isScaled(before: readonly number[], after: readonly number[], scale: number): boolean {
  return before.every((value, index) => {
    const expected = value * scale;
    const isSame = Math.abs((after[index] ?? 0) - expected) <= 0.005 * Math.abs(expected);
    return value !== 0 && Number.isFinite(expected) && isSame;
  });
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((one, other) => one - other);
}

function namesOf(names: Iterable<string>): string {
  return [...names].sort().join(' or ') || 'nothing';
}
