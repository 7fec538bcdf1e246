import {
  compileExpression,
  ExpressionFailure,
  ExpressionMistake,
  type ValueShape,
} from '../../../src/gate/expression/index.ts';
import type { Json } from '../../../src/kernel/index.ts';
import { type FuzzTarget, kindOf } from '../fuzzing.ts';
import { below, mutate, pick, type Random } from '../mutate.ts';

const any: ValueShape = { kind: 'any' };
const typed: Readonly<Record<string, ValueShape>> = {
  i: { kind: 'int' },
  d: { kind: 'double' },
  s: { kind: 'string', lengthMax: 8 },
  l: { kind: 'list', items: { kind: 'int' }, lengthMax: 4 },
  o: { kind: 'object', fields: { n: { kind: 'int' } }, open: any },
};
const untyped = Object.fromEntries(Object.keys(typed).map((name) => [name, any]));
const values: readonly Record<string, Json>[] = [
  { i: 3, d: 0.5, s: 'ab', l: [1, 2, 3], o: { n: 1, m: 'x' } },
  { i: -9_007_199_254_740_991, d: 1e308, s: '😀\u0000', l: [], o: {} },
  { i: 0, d: -0, s: '2026-11-15T06:00:00Z', l: [0, 0], o: { __proto__: null, n: 0 } },
];
const leaves = [
  ...['i', 'd', 's', 'l', 'o', 'o.n', 'l[0]', 'o["m"]', '1', '0', '-1', '2.5', '1e309', 'true'],
  ...['"a"', '"(a+)+$"', '"😀"', 'null', '[]', '{}', '9223372036854775807', 'b"\\xff"', '""'],
];
const binary = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in', '?', '.'];
const calls = ['size', 'int', 'double', 'string', 'has', 'duration', 'timestamp', 'type', 'dyn'];
const methods = ['matches', 'contains', 'startsWith', 'split', 'replace', 'map', 'all', 'exists'];

function grow(random: Random, depth: number): string {
  const inner = (): string => grow(random, depth - 1);
  if (depth === 0 || random() < 0.2) return pick(random, leaves);
  switch (below(random, 7)) {
    case 0:
      return `(${inner()} ${pick(random, binary)} ${inner()})`;
    case 1:
      return `${pick(random, calls)}(${inner()})`;
    case 2:
      return `${inner()}.${pick(random, methods)}(${inner()})`;
    case 3:
      return `${inner()}.${pick(random, ['all', 'exists', 'map', 'filter'])}(x, ${inner()})`;
    case 4:
      return `(${inner()} ? ${inner()} : ${inner()})`;
    case 5:
      return `[${inner()}, ${inner()}]`;
    default:
      return `{${inner()}: ${inner()}}[${inner()}]`;
  }
}

/** Expressions of contracts, compiled with and without known types, and evaluated. */
export function expressionsTarget(): FuzzTarget {
  return {
    seeds: leaves.map((leaf) => Buffer.from(leaf)),
    make: (random, base, others) =>
      random() < 0.6
        ? Buffer.from(grow(random, 4))
        : mutate(random, base, { words: [...leaves, ...binary, ...methods, 'x, '], others }),
    execute: (input) => [typed, untyped].map((scope) => outcomeOf(String(input), scope)).join(),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function outcomeOf(text: string, scope: Readonly<Record<string, ValueShape>>): string {
  try {
    const expression = compileExpression(text, scope);
    return values.map((given) => typeof expression.evaluate(given)).join(' ');
  } catch (error) {
    const isExpected = error instanceof ExpressionMistake || error instanceof ExpressionFailure;
    if (!isExpected) throw error;
    return kindOf(error.message);
  }
}
