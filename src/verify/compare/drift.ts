import type { Json } from '../../kernel/index.ts';
import { certaintyOf } from './difference.ts';
import { compareFields, type Drift } from './field-drift.ts';
import {
  areAllWords,
  type FieldFacts,
  factsOf,
  holderOf,
  type ShapeFacts,
  sampleOf,
} from './field-facts.ts';
import { findReordered } from './list-order.ts';

export interface Sides {
  readonly baseline: readonly Json[];
  readonly control: readonly Json[];
  readonly candidate: readonly Json[];
}

/**
 * How the shape of values changed. What differs between baseline and control is noise, except for
 * types: they also count in fields whose values never repeat.
 */
export function findDrift({ baseline, control, candidate }: Sides): Drift[] {
  if (candidate.length === 0 || baseline.length + control.length === 0) return [];
  const known = factsOf([...baseline, ...control]);
  const noise = { baseline: factsOf(baseline), control: factsOf(control) };
  const now = factsOf(candidate);
  const drifts = [...new Set([...known.keys(), ...now.keys()])].flatMap((field) => {
    const [was, is] = [known.get(field), now.get(field)];
    if (isBelowDrift(field, known, now)) return [];
    if (!was) return is ? [added(field, is, known)] : [];
    if (!is) return missing(field, was, holdersOf(field, now));
    return [
      ...missingMember(field, noise, now),
      ...compareFields(field, {
        was,
        is,
        isStable: isStable(field, noise),
        steadyNumbers: steadyNumbers(field, noise),
        steadyTexts: steadyTexts(field, noise),
      }),
    ];
  });
  return [...drifts.flat(), ...findReordered({ baseline, control, candidate })];
}

/** Below a field that is missing or has another type, everything differs. */
function isBelowDrift(field: string, known: ShapeFacts, now: ShapeFacts): boolean {
  const holder = holderOf(field);
  if (holder === null) return false;
  const [was, is] = [known.get(holder), now.get(holder)];
  if (!was || !is) return true;
  return field.endsWith('[]')
    ? !was.types.has('array') || !is.types.has('array')
    : !was.types.has('object') || !is.types.has('object');
}

function holdersOf(field: string, facts: ShapeFacts): number {
  return facts.get(holderOf(field) ?? '')?.present ?? 0;
}

/** A new field is harmless: nobody reads it yet. */
function added(field: string, is: FieldFacts, known: ShapeFacts): Drift {
  const holders = holdersOf(field, known);
  return {
    field,
    what: field.endsWith('[]') ? 'items-added' : 'field-added',
    before: 'absent',
    after: typesOf(is),
    examples: { before: null, after: sampleOf(is) },
    severity: 'notice',
    confidence: certaintyOf(holders),
  };
}

/** Missing items are reported for the list itself. */
function missing(field: string, was: FieldFacts, holders: number): Drift[] {
  if (field.endsWith('[]')) return [];
  const share = was.present / was.holders;
  // The probability that a field which was there so often is missing by chance.
  const chance = (1 - share) ** holders;
  if (chance > 0.01) return [];
  return [
    {
      field,
      what: 'field-missing',
      before: typesOf(was),
      after: 'absent',
      examples: { before: sampleOf(was), after: null },
      severity: 'fail',
      confidence: Math.min(certaintyOf(was.present), 1 - chance),
    },
  ];
}

/** A list has fewer items than in both known runs, and lacks a value that it had in both. */
function missingMember(field: string, noise: KnownFacts, now: ShapeFacts): Drift[] {
  if (!field.endsWith('[]')) return [];
  const list = holderOf(field) ?? '';
  const [lists, items] = [list, field].map((place) =>
    [noise.baseline, noise.control, now].map((facts) => facts.get(place)?.present ?? 0),
  ) as [number[], number[]];
  const [was = 0, again, is = 0] = items;
  if (new Set(lists).size !== 1 || was !== again || is >= was) return [];
  const ofItems = [...noise.baseline.keys()].filter(
    (place) => place === field || (place.startsWith(`${field}.`) && !place.endsWith('[]')),
  );
  const [gone] = ofItems.flatMap((place) => valuesGone(place, noise, now));
  if (gone === undefined) return [];
  return [
    {
      field,
      what: 'member-missing',
      before: `${was} items`,
      after: `${is} items`,
      examples: { before: gone, after: null },
      severity: 'fail',
      confidence: certaintyOf(2 * was),
    },
  ];
}

/** Values that baseline and control had equally often, and the candidate has less often. */
function valuesGone(field: string, noise: KnownFacts, now: ShapeFacts): (string | number)[] {
  const texts = [...(steadyTexts(field, noise) ?? [])];
  const numbers = steadyNumbers(field, noise) ?? [];
  const is = now.get(field);
  const countIn = (some: readonly number[], value: number): number =>
    some.filter((one) => one === value).length;
  return [
    ...texts.filter(([text, count]) => (is?.words.get(text) ?? 0) < count).map(([text]) => text),
    ...numbers.filter((one) => countIn(is?.numbers ?? [], one) < countIn(numbers, one)),
  ];
}

/** The facts of the two runs of the known version. */
interface KnownFacts {
  readonly baseline: ShapeFacts;
  readonly control: ShapeFacts;
}

/** Baseline and control had the same texts for the same requests. */
function isStable(field: string, { baseline, control }: KnownFacts): boolean {
  const [one, other] = [baseline.get(field)?.words, control.get(field)?.words];
  if (!one || !other) return false;
  return [...one.keys()].sort().join('\n') === [...other.keys()].sort().join('\n');
}

/** The numbers of a field if baseline and control had the same, in any order. */
function steadyNumbers(field: string, { baseline, control }: KnownFacts): readonly number[] | null {
  const [one, other] = [baseline.get(field)?.numbers, control.get(field)?.numbers];
  if (!one || !other || one.length === 0) return null;
  const sorted = one.toSorted((less, more) => less - more);
  const again = other.toSorted((less, more) => less - more);
  return sorted.join() === again.join() ? sorted : null;
}

/** If there are too many different texts to keep, it is chance which ones are kept. */
function steadyTexts(
  field: string,
  { baseline, control }: KnownFacts,
): ReadonlyMap<string, number> | null {
  const [one, other] = [baseline.get(field)?.words, control.get(field)?.words];
  if (!one || !other || one.size === 0 || !areAllWords(one) || one.size !== other.size) {
    return null;
  }
  return [...one].every(([text, count]) => other.get(text) === count) ? one : null;
}

function typesOf({ types }: FieldFacts): string {
  return [...types].sort().join(' or ');
}
