import { celEnv, isCelError, isCelList, isCelMap, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import type { Json } from '../../kernel/index.ts';
import {
  compileExpression,
  type Expression,
  ExpressionFailure,
  ExpressionMistake,
  type ValueShape,
} from './index.ts';

const word: ValueShape = { kind: 'string', lengthMax: 8 };
const scope: Readonly<Record<string, ValueShape>> = {
  i: { kind: 'int' },
  j: { kind: 'int' },
  d: { kind: 'double' },
  e: { kind: 'double' },
  s: word,
  t: word,
  b: { kind: 'bool' },
  ints: { kind: 'list', items: { kind: 'int' }, lengthMax: 4 },
  words: { kind: 'list', items: word, lengthMax: 4 },
  o: { kind: 'object', fields: { n: { kind: 'int' }, w: word, f: { kind: 'bool' } } },
};

const unknown: typeof scope = Object.fromEntries(
  Object.keys(scope).map((name) => [name, { kind: 'any' }]),
);

const small = fc.integer({ min: -9, max: 9 });
const fraction = fc.constantFrom(-2.5, -1, -0.25, 0, 0.5, 1, 2, 3.75);
const name = fc.constantFrom('', 'a', 'b', 'ab', 'aB', 'ba', 'Ä', 'é😀', '__proto__', 'toString');

const values = fc.record({
  i: small,
  j: small,
  d: fraction,
  e: fraction,
  s: name,
  t: name,
  b: fc.boolean(),
  ints: fc.array(small, { maxLength: 4 }),
  words: fc.array(name, { maxLength: 4 }),
  o: fc.record({ n: small, w: name, f: fc.boolean() }, { requiredKeys: [] }),
});

type Grown = Record<'bool' | 'int' | 'double' | 'text' | 'ints' | 'words', string>;

const quote = (text: string): string => JSON.stringify(text);
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => `(${all.join(' ')})`);
const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

/** Expressions that are well typed, by the kind that they give. Failing is fine. */
const grown = fc.letrec<Grown>((tie) => {
  const bool = tie('bool');
  const int = tie('int');
  const double = tie('double');
  const text = tie('text');
  const ints = tie('ints');
  const words = tie('words');
  const order = oneOf('<', '<=', '>', '>=', '==', '!=');
  const equal = oneOf('==', '!=');
  const macro = oneOf('all', 'exists', 'exists_one');
  const choice = (kind: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    joined(bool, oneOf('?'), kind, oneOf(':'), kind);
  const over = (list: fc.Arbitrary<string>, bound: string): fc.Arbitrary<string> =>
    fc
      .tuple(list, macro, bool, oneOf(`x == ${bound}`, `x != ${bound}`, 'x > x', '!b'))
      .map(([range, called, rest, item]) => `${range}.${called}(x, ${item} || ${rest})`);
  return {
    bool: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      oneOf('b', 'true', 'false', 'o.f', 'has(o.f)', 'has(o.n)'),
      joined(bool, oneOf('&&', '||'), bool),
      joined(bool, oneOf('&&', '||'), bool, oneOf('&&', '||'), bool),
      bool.map((inner) => `!${inner}`),
      joined(int, order, int),
      joined(double, order, double),
      joined(int, order, double),
      joined(text, equal, text),
      joined(ints, equal, ints),
      joined(int, oneOf('in'), ints),
      joined(text, oneOf('in'), words),
      joined(text, oneOf('in o')),
      fc
        .tuple(text, oneOf('startsWith', 'endsWith', 'contains'), text)
        .map(([whole, called, part]) => `${whole}.${called}(${part})`),
      fc
        .tuple(oneOf('s', 't', 'o.w'), oneOf('^a+$', '(a|b)*B', '^$', 'é.', '[^a-z]'))
        .map(([whole, pattern]) => `${whole}.matches(${quote(pattern)})`),
      over(ints, 'i'),
      over(words, 's'),
      choice(bool),
    ),
    int: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      oneOf('i', 'j', 'o.n'),
      small.map((value) => `(${value})`),
      joined(int, oneOf('+', '-', '/', '%'), int),
      joined(oneOf('i', 'j', '3'), oneOf('*'), oneOf('i', 'j', '(-4)')),
      int.map((inner) => `-(${inner})`),
      text.map((inner) => `size(${inner})`),
      ints.map((inner) => `${inner}.size()`),
      double.map((inner) => `int(${inner})`),
      fc.tuple(ints, int).map(([list, place]) => `${list}[${place}]`),
      choice(int),
    ),
    double: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      oneOf('d', 'e', '1.5', '0.0', '-2.25'),
      joined(double, oneOf('+', '-', '*', '/'), double),
      int.map((inner) => `double(${inner})`),
      choice(double),
    ),
    text: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      oneOf('s', 't', 'o.w'),
      name.map(quote),
      joined(text, oneOf('+'), text),
      int.map((inner) => `string(${inner})`),
      text.map((inner) => `${inner}.lowerAscii()`),
      fc.tuple(words, int).map(([list, place]) => `${list}[${place}]`),
      choice(text),
    ),
    ints: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      oneOf('ints', '[1, 2]', '[i, j, 3]'),
      joined(ints, oneOf('+'), ints),
      ints.map((inner) => `${inner}.filter(x, x > i)`),
      ints.map((inner) => `${inner}.map(x, x + j)`),
      ints.map((inner) => `${inner}.map(x, x % 2 == 0, x - 1)`),
    ),
    words: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      oneOf('words', '["a", "b"]', '[s, t]'),
      words.map((inner) => `${inner}.filter(x, x != s)`),
      words.map((inner) => `${inner}.map(x, x + t)`),
    ),
  };
});

const failing = 'fails';

function ours(expression: Expression, bindings: Record<string, Json>): Json {
  try {
    return expression.evaluate(bindings);
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    return failing;
  }
}

const environment = celEnv({ funcs: strings });

/** The evaluator of the library, which takes bigints for ints. */
function theirs(text: string, bindings: Record<string, Json>): Json {
  const typed = Object.entries(bindings).map(([key, value]) => [key, asCel(value, scope[key])]);
  const answer = plan(environment, parse(text))(Object.fromEntries(typed));
  return isCelError(answer) ? failing : asJson(answer);
}

function asCel(value: Json, shape: ValueShape | undefined): never {
  if (shape?.kind === 'int') return BigInt(value as number) as never;
  if (shape?.kind === 'list') {
    return (value as Json[]).map((item) => asCel(item, shape.items)) as never;
  }
  if (shape?.kind !== 'object') return value as never;
  const entries = Object.entries(value as object) as [string, Json][];
  return new Map(entries.map(([key, field]) => [key, asCel(field, shape.fields[key])])) as never;
}

function asJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number(value);
  if (isCelList(value)) return [...value].map(asJson);
  if (isCelMap(value)) {
    return Object.fromEntries([...value].map(([key, field]) => [String(key), asJson(field)]));
  }
  // JSON has no infinities: an answer that is one fails here.
  if (typeof value === 'number' && !Number.isFinite(value)) return failing;
  return value as Json;
}

describe('the compiled closures and the CEL library', () => {
  const tally = { ran: 0, refused: 0, failed: 0 };
  const textsOfEach = runs(25, 3_000);
  const texts = 9 * textsOfEach;

  function compare(text: string, known: typeof scope, all: readonly Record<string, Json>[]): void {
    const expression = tryCompile(text, known);
    tally.refused += Number(!expression);
    for (const bindings of expression ? all : []) {
      const answer = ours(expression as Expression, bindings);
      tally.ran += 1;
      tally.failed += Number(answer === failing);
      const wanted = plain(theirs(text, bindings));
      expect([text, bindings, plain(answer)]).toEqual([text, bindings, wanted]);
    }
  }

  const three = fc.array(values, { minLength: 3, maxLength: 3 });

  test.each(['bool', 'int', 'double', 'text', 'ints'] as const)('agree on any %s', (kind) => {
    fc.assert(
      fc.property(grown[kind], three, (text, all) => compare(text, scope, all)),
      { numRuns: textsOfEach },
    );
  });

  test.each(['bool', 'int', 'text', 'ints'] as const)(
    'agree on any %s without a known shape',
    (kind) => {
      fc.assert(
        fc.property(grown[kind], three, (text, all) => compare(text, unknown, all)),
        { numRuns: textsOfEach },
      );
    },
  );

  test('are compared on expressions of which enough succeed', () => {
    expect(tally.ran).toBeGreaterThan(1.8 * texts);
    expect(tally.refused).toBeLessThan(0.25 * texts);
    expect(tally.failed).toBeGreaterThan(0.05 * texts);
    expect(tally.failed / tally.ran).toBeLessThan(0.5);
  });
});

/** All that is generated is well typed: nothing but its size or a division is in the way. */
function tryCompile(text: string, known: typeof scope): Expression | undefined {
  try {
    return compileExpression(text, known);
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error;
    expect([text, error.message]).toEqual([
      text,
      expect.stringMatching(
        /may take \d+ steps|levels deep|longer than \d+ characters|differs for ints and doubles/,
      ),
    ]);
    return undefined;
  }
}

function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
