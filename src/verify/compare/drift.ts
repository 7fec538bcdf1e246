import type { Json } from '../../kernel/index.ts';
import { certaintyOf } from './difference.ts';
import { compareFields, type Drift } from './field-drift.ts';
import { areAllWords, type Facts, type FieldFacts, factsOf, holderOf } from './field-facts.ts';

export interface Sides {
  readonly baseline: readonly Json[];
  readonly control: readonly Json[];
  readonly candidate: readonly Json[];
}

/**
 * How the shape of values changed. What baseline and control do not agree on themselves is noise;
 * a type is a type, also in a field whose values never repeat.
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
    return compareFields(field, {
      was,
      is,
      isStable: isStable(field, noise),
      steadyNumbers: steadyNumbers(field, noise),
      steadyTexts: steadyTexts(field, noise),
    });
  });
  return drifts.flat();
}

/** Below a field that is itself gone or of another type everything differs; once is enough. */
function isBelowDrift(field: string, known: Facts, now: Facts): boolean {
  const holder = holderOf(field);
  if (holder === null) return false;
  const [was, is] = [known.get(holder), now.get(holder)];
  if (!was || !is) return true;
  return field.endsWith('[]')
    ? !was.types.has('array') || !is.types.has('array')
    : !was.types.has('object') || !is.types.has('object');
}

function holdersOf(field: string, facts: Facts): number {
  return facts.get(holderOf(field) ?? '')?.present ?? 0;
}

/** A field that nobody knew is none that anybody reads. */
function added(field: string, is: FieldFacts, known: Facts): Drift {
  const holders = holdersOf(field, known);
  return {
    field,
    what: field.endsWith('[]') ? 'items-added' : 'field-added',
    before: 'absent',
    after: typesOf(is),
    examples: { before: null, after: is.sample },
    severity: 'notice',
    confidence: certaintyOf(holders),
  };
}

/** A list without items had none to show; that it has none any more is told of the list itself. */
function missing(field: string, was: FieldFacts, holders: number): Drift[] {
  if (field.endsWith('[]')) return [];
  const share = was.present / was.holders;
  // As often as it was there before, it would have been there by now.
  const chance = (1 - share) ** holders;
  if (chance > 0.01) return [];
  return [
    {
      field,
      what: 'field-missing',
      before: typesOf(was),
      after: 'absent',
      examples: { before: was.sample, after: null },
      severity: 'fail',
      confidence: Math.min(certaintyOf(was.present), 1 - chance),
    },
  ];
}

/** Baseline and control saw the same texts: they say the same of the same requests. */
function isStable(
  field: string,
  { baseline, control }: { baseline: Facts; control: Facts },
): boolean {
  const [one, other] = [baseline.get(field)?.words, control.get(field)?.words];
  if (!one || !other) return false;
  return [...one.keys()].sort().join('\n') === [...other.keys()].sort().join('\n');
}

/** The numbers of a field, where baseline and control had the same; in whichever order. */
function steadyNumbers(
  field: string,
  { baseline, control }: { baseline: Facts; control: Facts },
): readonly number[] | null {
  const [one, other] = [baseline.get(field)?.numbers, control.get(field)?.numbers];
  if (!one || !other || one.length === 0) return null;
  const sorted = one.toSorted((less, more) => less - more);
  const again = other.toSorted((less, more) => less - more);
  return sorted.join() === again.join() ? sorted : null;
}

/** Where there are too many different ones to be kept, which they are is chance. */
function steadyTexts(
  field: string,
  { baseline, control }: { baseline: Facts; control: Facts },
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
