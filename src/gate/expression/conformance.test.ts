import { isDeepStrictEqual } from 'node:util';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import {
  getConformanceSuite,
  type IncrementalTest,
  type IncrementalTestSuite,
} from '@bufbuild/cel-spec/testdata/tests.js';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import {
  compileExpression,
  ExpressionFailure,
  ExpressionMistake,
  type ValueShape,
} from './index.ts';

/** Whole files of cases about what the subset does not have. */
const otherSuites = [
  'bindings_ext',
  'block_ext',
  'encoders_ext',
  'enums',
  'macros2',
  'math_ext',
  'namespace',
  'optionals',
  'proto2',
  'proto2_ext',
  'proto3',
  'type_deductions',
  'wrappers',
];

/** Of an error that others find at run time: found at load, it is the same error. */
const earlier = 'which others only find at run time';

/** How many cases are left out for which reason, besides the files that are. */
const leftOutCases: Readonly<Record<string, number>> = {
  [`a field that is not there, ${earlier}`]: 4,
  [`a name that is not there, ${earlier}`]: 46,
  'a variable that JSON cannot hold': 21,
  'an answer that JSON cannot hold': 142,
  'bool() and type()': 19,
  bytes: 31,
  'functions of extensions': 156,
  'ints of more than 53 bits': 32,
  'keys that are no texts': 30,
  [`kinds that never fit, ${earlier}`]: 6,
  'messages of protobuf': 84,
  'names in a protobuf package': 217,
  'numbers that JSON cannot hold': 10,
  'quoted names of fields': 6,
  'times finer than a millisecond': 14,
  'times where anything can be': 5,
  'unsigned ints': 154,
};

/** Why a case with an answer is refused at load here, by what the mistake says. */
const refusals: readonly (readonly [reason: string, mistake: RegExp])[] = [
  ['unsigned ints', /no unsigned ints|no function uint\(\)/],
  ['bytes', /no bytes/],
  ['ints of more than 53 bits', /at most 53 bits/],
  ['keys that are no texts', /literal texts, as in JSON|a key needs a string/],
  ['messages of protobuf', /no type [.\w]+$/],
  ['functions of extensions', /no function (?:format|indexOf|lastIndexOf|substring|trim)\(/],
  ['functions of extensions', /no function (?:replace|split|join|charAt|upperAscii)\(/],
  ['bool() and type()', /no function (?:bool|type)\(/],
  ['numbers that JSON cannot hold', /"[-+]?(?:NaN|inf|infinity)" is not a double/i],
  ['quoted names of fields', /this is not CEL from here on: \.`|not CEL from here on: \(\{/],
  ['times finer than a millisecond', /of whole milliseconds/],
  ['times where anything can be', /does not take times|times do not stand in a list/],
  [`a name that is not there, ${earlier}`, /there is no (?:variable|function)/],
  [`a field that is not there, ${earlier}`, /has no field/],
  [`kinds that never fit, ${earlier}`, /needs a bool|never equal/],
  [`kinds that never fit, ${earlier}`, /both sides of \?/],
];

interface Case {
  readonly suite: string;
  readonly name: string;
  readonly expression: string;
  readonly original: IncrementalTest['original'];
}

function casesOf({ name, tests, suites }: IncrementalTestSuite, path: readonly string[]): Case[] {
  const here = [...path, name];
  const own = tests.map(({ original }) => ({
    suite: here[1] ?? '',
    name: [...here.slice(1), original.name].join('/'),
    expression: original.expr,
    original,
  }));
  return [...own, ...suites.flatMap((suite) => casesOf(suite, here))];
}

interface Bound {
  readonly shape: ValueShape;
  readonly value: Json;
}

/** A value of the official cases as ours, or undefined when JSON has nothing like it. */
function toJson({ kind }: Value): Bound | undefined {
  switch (kind.case) {
    case 'nullValue':
      return { shape: { kind: 'null' }, value: null };
    case 'boolValue':
      return { shape: { kind: 'bool' }, value: kind.value };
    case 'int64Value':
      return Number.isSafeInteger(Number(kind.value))
        ? { shape: { kind: 'int' }, value: Number(kind.value) }
        : undefined;
    case 'doubleValue':
      return Number.isFinite(kind.value)
        ? { shape: { kind: 'double' }, value: kind.value }
        : undefined;
    case 'stringValue':
      return { shape: { kind: 'string' }, value: kind.value };
    case 'listValue':
      return listToJson(kind.value.values);
    case 'mapValue':
      return mapToJson(kind.value.entries);
    default:
      return undefined;
  }
}

function listToJson(values: readonly Value[]): Bound | undefined {
  const items = values.map(toJson);
  if (items.includes(undefined)) return undefined;
  const shape: ValueShape = { kind: 'list', items: { kind: 'any' }, lengthMax: items.length };
  return { shape, value: items.map((item) => (item as Bound).value) };
}

function mapToJson(
  entries: readonly { readonly key?: Value | undefined; readonly value?: Value | undefined }[],
): Bound | undefined {
  const pairs = entries.map(({ key, value }) => [key && toJson(key), value && toJson(value)]);
  if (pairs.some(([key, value]) => typeof key?.value !== 'string' || !value)) return undefined;
  const of = <T>(pick: (value: Bound) => T): Record<string, T> =>
    Object.fromEntries(pairs.map(([key, value]) => [String(key?.value), pick(value as Bound)]));
  return {
    shape: { kind: 'object', fields: of(({ shape }) => shape) },
    value: of(({ value }) => value),
  };
}

type Verdict =
  | { readonly is: 'agrees' }
  | { readonly is: 'left out'; readonly reason: string }
  | { readonly is: 'disagrees'; readonly with: unknown };

const leftOut = (reason: string): Verdict => ({ is: 'left out', reason });

function judge({ expression, original }: Case): Verdict {
  if (original.container) return leftOut('names in a protobuf package');
  if (original.checkOnly || original.disableMacros) return leftOut('about the checker alone');
  const bound = Object.entries(original.bindings).map(([name, { kind }]) => [
    name,
    kind.case === 'value' ? toJson(kind.value) : undefined,
  ]) as [string, Bound | undefined][];
  if (bound.some(([, value]) => !value)) return leftOut('a variable that JSON cannot hold');
  const { resultMatcher } = original;
  const wanted = resultMatcher.case === 'value' ? toJson(resultMatcher.value)?.value : true;
  if (resultMatcher.case === 'typedResult') return leftOut('about the checker alone');
  const isFailure = resultMatcher.case === 'evalError';
  if (wanted === undefined && !isFailure) return leftOut('an answer that JSON cannot hold');
  return run(expression, bound as [string, Bound][], isFailure ? undefined : wanted);
}

/** `wanted` is undefined where the official answer is an error; refusing it at load is one. */
function run(
  expression: string,
  bound: readonly (readonly [string, Bound])[],
  wanted: Json | undefined,
): Verdict {
  const scope = Object.fromEntries(bound.map(([name, { shape }]) => [name, shape]));
  const values = Object.fromEntries(bound.map(([name, { value }]) => [name, value]));
  try {
    const answer = compileExpression(expression, scope).evaluate(values);
    return isDeepStrictEqual(plain(answer), wanted !== undefined && plain(wanted))
      ? { is: 'agrees' }
      : { is: 'disagrees', with: answer };
  } catch (error) {
    if (!(error instanceof ExpressionMistake || error instanceof ExpressionFailure)) throw error;
    const found = refusals.find(([, mistake]) => mistake.test(error.message));
    const isEarlier = found?.[0].endsWith(earlier) ?? true;
    if (wanted === undefined && isEarlier) return { is: 'agrees' };
    return found ? leftOut(found[0]) : { is: 'disagrees', with: error.message };
  }
}

/** Without prototypes, and with one zero only. */
function plain(answer: Json): Json {
  return JSON.parse(JSON.stringify(answer)) as Json;
}

describe('the official cases of CEL', () => {
  const judged = casesOf(getConformanceSuite(), [])
    .filter(({ suite }) => !otherSuites.includes(suite))
    .map((official) => ({ ...official, verdict: judge(official) }));
  const of = (is: Verdict['is']) => judged.filter(({ verdict }) => verdict.is === is);

  test('in our subset all agree with our evaluator', () => {
    const disagreeing = of('disagrees').map(({ name, expression, verdict }) => ({
      name,
      expression,
      verdict,
    }));
    expect(disagreeing).toEqual([]);
    expect(of('agrees').length).toBeGreaterThan(600);
  });

  test('outside our subset are skipped for these reasons', () => {
    const reasons: Record<string, number> = {};
    for (const { verdict } of of('left out')) {
      const { reason } = verdict as Extract<Verdict, { is: 'left out' }>;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    expect(reasons).toEqual(leftOutCases);
  });
});
