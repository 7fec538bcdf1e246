import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { argumentProblems, schemaProblems } from './schema-check.ts';

const problems = (schema: JsonObject): string[] =>
  argumentProblems(schema).map(({ path, message }) => `${path.join('.')}: ${message}`);
const withX = (x: JsonObject | boolean): JsonObject => ({ type: 'object', properties: { x } });

describe('a schema of arguments', () => {
  test.each<[string, JsonObject, string]>([
    ['of something else', { type: 'string' }, ': arguments are an object: write "type: object"'],
    ['of nothing in particular', {}, ': arguments are an object'],
    [
      'with a misspelt keyword',
      withX({ type: 'string', maxlength: 3 }),
      'properties.x.maxlength: unknown keyword "maxlength" of JSON Schema; did you mean "maxLength"?',
    ],
    [
      'with a keyword of older drafts',
      withX({ type: 'string', id: 'a' }),
      'properties.x.id: unknown keyword',
    ],
    [
      'with a name for others to refer to',
      withX({ type: 'string', $anchor: 'a' }),
      'properties.x.$anchor: unknown keyword',
    ],
    [
      'with a format that nobody checks',
      withX({ type: 'string', format: 'phone' }),
      'properties.x.format: the format phone is not checked here; use one of date',
    ],
    [
      'with a pattern that looks ahead',
      withX({ type: 'string', pattern: '(?=a)b' }),
      'properties.x.pattern: RE2 has no such pattern',
    ],
    [
      'with a pattern that refers back',
      withX({ type: 'string', pattern: '(a)\\1' }),
      'properties.x.pattern: RE2 has no such pattern',
    ],
    [
      'with a broken pattern',
      withX({ type: 'string', pattern: '(' }),
      'properties.x.pattern: RE2 has no such pattern',
    ],
    [
      'with a broken pattern of names',
      { type: 'object', patternProperties: { '(': true } },
      'patternProperties: RE2 has no such pattern',
    ],
    [
      'that refers to nothing',
      withX({ $ref: '#/$defs/y' }),
      'properties.x.$ref: there is no #/$defs/y',
    ],
    [
      'that refers elsewhere',
      withX({ $ref: 'https://a.example/b' }),
      'properties.x.$ref: there is no https://a.example/b',
    ],
    [
      'that refers to a broken place',
      withX({ $ref: '#/%ff' }),
      'properties.x.$ref: there is no #/%ff',
    ],
    [
      'of another draft',
      { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#' },
      '$schema: use https',
    ],
    [
      'with a value of the wrong kind',
      withX({ type: 'string', maxLength: '3' }),
      'properties.x.maxLength: the schema must be integer',
    ],
    ['with a type that is none', withX({ type: 'money' }), 'properties.x.type: the schema must be'],
    [
      'that requires what it does not declare',
      { ...withX({ type: 'string' }), required: ['xx'] },
      'required.0: xx is not declared; did you mean "x"?',
    ],
    ['that leaves a value open', withX({ description: 'what' }), 'properties.x: say its type'],
    [
      'that leaves a choice open',
      withX({ anyOf: [{ type: 'string' }, {}] }),
      'properties.x: say its type',
    ],
    ['that leaves items open', withX({ type: 'array' }), 'properties.x: say what its items are'],
    [
      'that leaves further items open',
      withX({ type: 'array', prefixItems: [{ type: 'string' }] }),
      'properties.x: say what its items are',
    ],
    ['that refers to itself only', withX({ $ref: '#/properties/x' }), 'properties.x: say its type'],
  ])('%s is refused', (_, schema, expected) => {
    expect(problems(schema)).toEqual([expect.stringContaining(expected)]);
  });

  test.each<[string, JsonObject]>([
    ['without properties', { type: 'object' }],
    ['with anything, said aloud', withX(true)],
    ['with items that may be anything', withX({ type: 'array', items: true })],
    ['with a choice of values', withX({ enum: [1, 'a', null] })],
    ['that refers to itself', { type: 'object', properties: { child: { $ref: '#' } } }],
    ['with choices', withX({ oneOf: [{ type: 'string' }, { const: null }] })],
    [
      'with everything else',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        title: 'a',
        $comment: 'b',
        properties: { a: { type: ['string', 'null'], examples: ['x'], deprecated: true } },
        dependentRequired: { a: ['a'] },
        propertyNames: { pattern: '^a' },
        minProperties: 0,
        if: { required: ['a'] },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
        then: { properties: { a: { type: 'string' } } },
      },
    ],
  ])('%s is accepted', (_, schema) => {
    expect(problems(schema)).toEqual([]);
  });
});

test('a schema of results may leave the type open', () => {
  expect(schemaProblems({ description: 'anything', properties: { a: {} } })).toEqual([]);
});
