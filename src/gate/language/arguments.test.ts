import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { gateLimits } from '../limits.ts';
import { contractOf, toolWith } from './policy.fixture.ts';
import { compilePolicy } from './sources/define.ts';

const check = (schema: object, value: Json) =>
  contractOf(compilePolicy(toolWith(schema)), 't').checkArguments(value);

const order = {
  type: 'object',
  required: ['orderId', 'amount'],
  properties: {
    orderId: { type: 'string', maxLength: 5, pattern: '^[a-z]+$' },
    code: { type: 'string', pattern: '^[0-9]+$' },
    amount: { type: 'integer', minimum: 1, maximum: 100 },
    lines: {
      type: 'array',
      maxItems: 3,
      items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } },
    },
    way: { enum: ['card', 'cash'] },
  },
};
const good = { orderId: 'abc', amount: 3 };

describe('arguments', () => {
  test.each<[string, Json, string[]]>([
    ['the required ones', good, []],
    ['every declared one', { ...good, code: '12', way: 'card', lines: [{ sku: 'a' }] }, []],
    ['an undeclared argument', { ...good, remark: 1 }, ['remark is not declared']],
    [
      'a misspelt one',
      { orderId: 'abc', amout: 3 },
      ['amount is required', 'amout is not declared; did you mean "amount"?'],
    ],
    [
      'an undeclared one deep inside',
      { ...good, lines: [{ sku: 'a', price: 1 }] },
      ['lines.0.price is not declared'],
    ],
    ['a missing one deep inside', { ...good, lines: [{}] }, ['lines.0.sku is required']],
    ['a text for a number', { ...good, amount: '3' }, ['amount must be integer']],
    ['a number for a text', { ...good, orderId: 3 }, ['orderId must be string']],
    ['a fraction', { ...good, amount: 1.5 }, ['amount must be integer']],
    ['a negative amount', { ...good, amount: -1 }, ['amount must be >= 1']],
    ['too much', { ...good, amount: 101 }, ['amount must be <= 100']],
    [
      'a long text',
      { ...good, orderId: 'abcdef' },
      ['orderId must NOT have more than 5 characters'],
    ],
    [
      'a text that does not match',
      { ...good, orderId: 'A1' },
      ['orderId must match pattern "^[a-z]+$"'],
    ],
    ['another pattern', { ...good, code: 'abc' }, ['code must match pattern "^[0-9]+$"']],
    ['a value outside of the choices', { ...good, way: 'gold' }, ['way must be one of card, cash']],
    ['null', null, ['must be object']],
    ['a list', [], ['must be object']],
    [
      'an undeclared name of Object.prototype',
      { ...good, toString: 1 },
      ['toString is not declared'],
    ],
    [
      'a prototype',
      JSON.parse('{"orderId":"a","amount":1,"__proto__":{}}'),
      ['__proto__ is not declared'],
    ],
  ])('are validated: %s', (_, value, expected) => {
    const mistakes = check(order, value).map(({ path, message }) => `${path} ${message}`.trim());
    expect(mistakes).toEqual(expected);
  });

  test('are neither changed nor completed with defaults', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    const value = {};
    expect(check(schema, value)).toEqual([]);
    expect(value).toEqual({});
  });

  test('do not satisfy a required property by inheritance', () => {
    const schema = {
      type: 'object',
      required: ['toString'],
      properties: { toString: { type: 'string' } },
    };
    expect(check(schema, {})).toEqual([{ path: 'toString', message: 'is required' }]);
  });

  test('never appear in error messages, because they may be secrets', () => {
    expect(JSON.stringify(check(order, { ...good, orderId: 'SECRET99' }))).not.toContain('SECRET');
  });
});

describe('undeclared properties', () => {
  const person = { type: 'object', properties: { name: { type: 'string' } } };
  const word = { type: 'string' };
  test.each<[string, object, Json, number]>([
    ['of an open object are accepted', { type: 'object', additionalProperties: true }, { x: 1 }, 0],
    [
      'of a typed object are accepted',
      { type: 'object', additionalProperties: word },
      { x: 'a' },
      0,
    ],
    [
      'of a typed object must have its type',
      { type: 'object', additionalProperties: word },
      { x: 1 },
      1,
    ],
    [
      'that match a pattern are accepted',
      { type: 'object', patternProperties: { '^x-': word } },
      { 'x-a': 'b' },
      0,
    ],
    [
      'that match no pattern are refused',
      { type: 'object', patternProperties: { '^x-': word } },
      { y: 'b' },
      1,
    ],
    [
      'behind a reference',
      { type: 'object', properties: { p: { $ref: '#/$defs/p' } }, $defs: { p: person } },
      { p: { name: 'a', x: 1 } },
      1,
    ],
    [
      'declared behind a reference',
      { type: 'object', properties: { p: { $ref: '#/$defs/p' } }, $defs: { p: person } },
      { p: { name: 'a' } },
      0,
    ],
    [
      'declared by one of several',
      { type: 'object', anyOf: [{ properties: { a: word } }, { properties: { b: word } }] },
      { a: 'x' },
      0,
    ],
    [
      'declared by none of several',
      { type: 'object', anyOf: [{ properties: { a: word } }, { properties: { b: word } }] },
      { c: 'x' },
      1,
    ],
    [
      'are accepted when one of several is required',
      {
        type: 'object',
        properties: { a: word, b: word },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: 'x' },
      0,
    ],
    [
      'inside of a condition',
      { type: 'object', if: { properties: { a: { type: 'object' } } }, properties: { b: word } },
      { a: { hidden: 1 } },
      1,
    ],
    [
      'inside of a tuple',
      { type: 'object', properties: { t: { type: 'array', prefixItems: [person], items: false } } },
      { t: [{ name: 'a', x: 1 }] },
      1,
    ],
    [
      'of an object that may be null',
      { type: 'object', properties: { p: { ...person, type: ['object', 'null'] } } },
      { p: { x: 1 } },
      1,
    ],
    [
      'of a tree, at any depth',
      { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } },
      { children: [{ children: [{ x: 1 }] }] },
      1,
    ],
    [
      'of an explicitly open value are accepted',
      { type: 'object', properties: { any: true } },
      { any: { x: 1 } },
      0,
    ],
  ])('%s', (_, schema, value, count) => {
    expect(check(schema, value).length > 0 ? 1 : 0).toBe(count);
  });
});

test.each<[string, Json, string[]]>([
  ['behind a reference', { one: { name: 1, age: 3 } }, ['one.name must be string']],
  ['behind two', { one: { friend: { age: 'x' } } }, ['one.friend.age must be integer']],
  ['in a choice', { two: { a: 1 } }, ['two.a must be string', 'two must match a schema in anyOf']],
])(
  'a declared property is never reported as undeclared because something %s is wrong',
  (_, value, expected) => {
    const $defs = {
      person: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          age: { type: 'integer' },
          friend: { $ref: '#/$defs/person' },
        },
      },
    };
    const two = {
      type: 'object',
      anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
    };
    const schema = { type: 'object', properties: { one: { $ref: '#/$defs/person' }, two }, $defs };
    const mistakes = check(schema, value).map(({ path, message }) => `${path} ${message}`);
    expect(mistakes).toEqual(expected);
  },
);

describe('formats', () => {
  test.each<[string, string[], string[]]>([
    [
      'date',
      ['2024-02-29', '2026-12-31'],
      ['2023-02-29', '2026-13-01', '2026-00-01', '26-1-1', 'x'],
    ],
    [
      'date-time',
      ['2026-01-01T00:00:00Z', '2026-01-01T23:59:59.5+02:00'],
      ['2026-01-01', '2026-01-01T00:00:00', '2026-01-01T24:00:00Z', '2026-02-30T00:00:00Z'],
    ],
    ['email', ['a@b.example'], ['a', 'a@', '@b', 'a b@c', 'a@b@c']],
    ['hostname', ['a.example', 'localhost'], ['-a', 'a..b', 'a_b', '']],
    ['ipv4', ['127.0.0.1', '255.255.255.255'], ['256.0.0.1', '1.2.3', '01.2.3.4']],
    ['ipv6', ['::1', 'fe80::1:2'], ['127.0.0.1', '::g', ':::', '']],
    ['uri', ['https://a.example/x?y', 'urn:a:b'], ['/x', 'a b:c', 'http://']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000'], ['123', '123e4567e89b12d3a456426614174000']],
  ])('%s', (format, right, wrong) => {
    const schema = { type: 'object', properties: { x: { type: 'string', format } } };
    expect(right.filter((x) => check(schema, { x }).length > 0)).toEqual([]);
    expect(wrong.filter((x) => check(schema, { x }).length === 0)).toEqual([]);
  });
});

describe('hostile values', () => {
  test('a pattern with exponential backtracking elsewhere finishes', () => {
    const schema = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } };
    expect(check(schema, { x: `${'a'.repeat(50_000)}!` })).toHaveLength(1);
  });

  const list = { type: 'object', properties: { x: { type: 'array', items: { type: 'string' } } } };
  const wrong = (count: number) => ({ x: Array.from({ length: count }, () => 1) });

  test(`at most ${gateLimits.schemaMistakesMax} mistakes are reported`, () => {
    expect(check(list, wrong(gateLimits.schemaMistakesMax))).toHaveLength(
      gateLimits.schemaMistakesMax,
    );
    expect(check(list, wrong(gateLimits.schemaMistakesMax + 1))).toHaveLength(
      gateLimits.schemaMistakesMax,
    );
  });

  test(`only the first mistake is reported beyond ${gateLimits.schemaNodesMax} values`, () => {
    // The object and its list are values as well.
    expect(check(list, wrong(gateLimits.schemaNodesMax - 2))).toHaveLength(
      gateLimits.schemaMistakesMax,
    );
    expect(check(list, wrong(gateLimits.schemaNodesMax - 1))).toHaveLength(1);
    expect(check(list, wrong(1_000_000))).toEqual([{ path: 'x.0', message: 'must be string' }]);
  });
});

test('results may have undeclared fields, but declared ones must match', () => {
  const result = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } };
  const policy = compilePolicy(toolWith({ type: 'object' }, { result }));
  const { checkResult } = contractOf(policy, 't');
  expect(checkResult?.({ a: 1, b: 2 })).toEqual([]);
  expect(checkResult?.({ a: 'x' })).toEqual([{ path: 'a', message: 'must be integer' }]);
});
