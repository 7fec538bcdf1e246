import { canonicalJson, type Json } from '../../kernel/index.ts';
import type { Separation } from '../api-schema.ts';

/** What one expression was at one hit. */
export interface ObservedValue {
  readonly type: string;
  readonly value: Json;
}

/** The values of one expression, in the order of the hits. */
export interface ObservedSides {
  /** In the running process. */
  readonly live: readonly ObservedValue[];
  /** In a fresh copy of the same version, twice with the same requests. */
  readonly control: readonly ObservedValue[];
  readonly controlAgain: readonly ObservedValue[];
  /** In the version without the change, with the same requests. */
  readonly healthy: readonly ObservedValue[];
}

/** Values of each side without which nothing is confirmed. */
export const supportMin = 5;
/** More are needed where chance could order two groups of numbers. */
const orderedSupportMin = 8;

/**
 * Which predicate on the values is true for every failing and for no healthy request. Null if none
 * is, or if there are too few values. The copy of the failing version must agree with the running
 * process, so that what differs from one process to the next (ports, addresses, times) is no cause.
 */
export function separate(expression: string, sides: ObservedSides): Separation | null {
  const { live, control, controlAgain, healthy } = sides;
  if (live.length === 0) return null;
  if (Math.min(control.length, controlAgain.length, healthy.length) < supportMin) return null;
  const failing = [...live, ...control, ...controlAgain];
  const test =
    byType(expression, failing, healthy) ??
    byValue(expression, failing, healthy) ??
    byOrder(expression, failing, healthy);
  if (test) return count(expression, test, failing, healthy);
  return byPairs(expression, sides);
}

interface Predicate {
  readonly kind: Separation['kind'];
  readonly text: string;
  readonly holds: (value: ObservedValue) => boolean;
}

function count(
  expression: string,
  { kind, text, holds }: Predicate,
  failing: readonly ObservedValue[],
  healthy: readonly ObservedValue[],
): Separation {
  return {
    expression,
    kind,
    predicate: text,
    failing: { held: failing.filter(holds).length, of: failing.length },
    healthy: { held: healthy.filter(holds).length, of: healthy.length },
  };
}

function byType(
  expression: string,
  failing: readonly ObservedValue[],
  healthy: readonly ObservedValue[],
): Predicate | null {
  const [bad, good] = [failing, healthy].map((side) => new Set(side.map(({ type }) => type)));
  if (!bad || !good || [...bad].some((type) => good.has(type))) return null;
  const text = `typeof ${expression} is ${[...bad].sort().join(' or ')}`;
  return { kind: 'type', text, holds: ({ type }) => bad.has(type) };
}

function byValue(
  expression: string,
  failing: readonly ObservedValue[],
  healthy: readonly ObservedValue[],
): Predicate | null {
  const same = canonicalJson(failing[0]?.value ?? null);
  const holds = ({ value }: ObservedValue): boolean => canonicalJson(value ?? null) === same;
  if (!failing.every(holds) || healthy.some(holds)) return null;
  return { kind: 'value', text: `${expression} is ${same.slice(0, shownCharsMax)}`, holds };
}

const shownCharsMax = 80;

function byOrder(
  expression: string,
  failing: readonly ObservedValue[],
  healthy: readonly ObservedValue[],
): Predicate | null {
  if (Math.min(failing.length, healthy.length) < orderedSupportMin) return null;
  const numbers = (side: readonly ObservedValue[]): number[] =>
    side.map(({ value }) => (typeof value === 'number' ? value : Number.NaN));
  const [bad, good] = [numbers(failing), numbers(healthy)];
  if ([...bad, ...good].some(Number.isNaN)) return null;
  if (Math.min(...bad) > Math.max(...good)) {
    const bound = Math.max(...good);
    const holds = ({ value }: ObservedValue): boolean => Number(value) > bound;
    return { kind: 'order', text: `${expression} > ${bound}`, holds };
  }
  if (Math.max(...bad) >= Math.min(...good)) return null;
  const bound = Math.min(...good);
  const holds = ({ value }: ObservedValue): boolean => Number(value) < bound;
  return { kind: 'order', text: `${expression} < ${bound}`, holds };
}

/**
 * The same requests in the same order: the copy answers itself alike twice, and otherwise than the
 * version without the change each time. What is random differs from itself, too.
 */
function byPairs(expression: string, sides: ObservedSides): Separation | null {
  const { control, controlAgain, healthy } = sides;
  if (control.length !== healthy.length || control.length !== controlAgain.length) return null;
  const texts = (side: readonly ObservedValue[]): string[] =>
    side.map(({ type, value }) => `${type} ${canonicalJson(value ?? null)}`);
  const [first, again, good] = [texts(control), texts(controlAgain), texts(healthy)];
  const isSame = first.every((text, index) => text === again[index]);
  const differing = first.filter((text, index) => text !== good[index]).length;
  if (!isSame || differing < first.length) return null;
  return {
    expression,
    kind: 'pairs',
    predicate: `${expression} is not what it is without the change, for the same request`,
    failing: { held: differing, of: first.length },
    healthy: { held: 0, of: good.length },
  };
}
