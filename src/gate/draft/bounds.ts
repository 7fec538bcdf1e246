import type { Json } from '../../kernel/index.ts';
import { isMany, numberKind, type TextKind } from './kinds.ts';
import { roundDown, roundUp } from './round.ts';
import type { Sketch } from './sketch.ts';
import type { TextValues } from './text-values.ts';

type Bounds = Record<string, Json>;

/** The length of texts that are rather documents, or sentences, or names. */
const lengths: Readonly<Record<TextKind, number>> = {
  long: 100_000,
  text: 10_000,
  url: 2_000,
  path: 1_000,
  id: 200,
  other: 1_000,
};
const manyLengthMin = 100;
const choiceCharsMax = 64;

/** A choice after many calls with few short values; otherwise a generous length. */
export function textBounds(kind: TextKind, sketch: Sketch | undefined): Bounds {
  const texts = sketch?.texts;
  if (kind === 'other' && isMany(sketch) && isChoice(texts)) {
    return { enum: [...(texts?.distinct ?? [])].sort() };
  }
  const seen = texts?.lengthMax ?? 0;
  const usual = kind === 'other' ? otherLength(sketch) : lengths[kind];
  const maxLength = Math.max(usual, roundUp((isMany(sketch) ? 4 : 10) * seen));
  return { maxLength, ...(kind === 'long' ? statementPattern(texts) : {}) };
}

/** One statement of SQL that begins as those that were found; an agent that reads may not drop. */
function statementPattern(texts: TextValues | undefined): Bounds {
  if (!texts?.statements || texts.times === 0) return {};
  const words = [...texts.statements].sort().join('|');
  return { pattern: `(?i)^\\s*(${words})\\s[^;]*;?\\s*$` };
}

/** Nobody knows what a text of no known kind may be, until it was given. */
function otherLength(sketch: Sketch | undefined): number {
  if (!sketch || sketch.texts.times === 0) return lengths.text;
  return isMany(sketch) ? manyLengthMin : lengths.other;
}

function isChoice(texts: TextValues | undefined): boolean {
  if (!texts?.distinct || texts.lengthMax > choiceCharsMax) return false;
  return texts.times >= 3 * texts.distinct.size;
}

/** Amounts are bounded by the calls, counts loosely, positions and the rest not above. */
export function numberBounds(name: string, sketch: Sketch | undefined): Bounds {
  const kind = numberKind(name);
  if (!sketch || sketch.max < sketch.min) return {};
  const { min, max } = sketch;
  if (Math.max(Math.abs(min), Math.abs(max)) > Number.MAX_SAFE_INTEGER) return {};
  if (isMany(sketch) && kind !== 'position') {
    const factor = kind === 'amount' ? 1 : 2;
    return {
      minimum: roundDown(min > 0 ? min / factor : min * factor),
      maximum: upper(max, factor),
    };
  }
  const floor = kind !== 'other' && min >= 0 ? { minimum: Math.min(1, roundDown(min)) } : {};
  if (kind === 'amount') return { ...floor, maximum: upper(max, 10) };
  if (kind === 'count') return { ...floor, maximum: Math.max(1_000, upper(max, 10)) };
  return floor;
}

function upper(max: number, factor: number): number {
  return roundUp(max > 0 ? max * factor : max / factor);
}

export function listBounds(sketch: Sketch | undefined): Bounds {
  const seen = sketch?.itemsMax ?? 0;
  return {
    maxItems: isMany(sketch) ? Math.max(20, roundUp(2 * seen)) : Math.max(100, roundUp(10 * seen)),
  };
}
