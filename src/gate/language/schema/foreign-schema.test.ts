import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { foreignMistakes } from './foreign-schema.ts';

const closed = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { path: { type: 'string', 'x-own': 1, format: 'whatever' } },
  required: ['path'],
  additionalProperties: false,
};

describe('a schema from another server', () => {
  test.each<[string, JsonObject, Json, string[]]>([
    ['accepts a matching value', closed, { path: 'a' }, []],
    ['reports a missing property', closed, {}, ["must have required property 'path'"]],
    [
      'reports an additional property',
      closed,
      { path: 'a', more: 1 },
      ['must NOT have additional properties: more'],
    ],
    ['reports a wrong type inside', closed, { path: 1 }, ['path must be string']],
    [
      'accepts anything if it refers elsewhere',
      { $ref: 'https://elsewhere.example/schema' },
      { any: 1 },
      [],
    ],
    ['accepts anything if it is invalid', { type: 'nonsense' }, { any: 1 }, []],
  ])('%s', (_, schema, value, mistakes) => {
    expect(foreignMistakes(schema, value)).toEqual(mistakes);
    expect(foreignMistakes(schema, value)).toEqual(mistakes);
  });

  test('with a backtracking pattern finishes at once', () => {
    const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    const value = { text: `${'a'.repeat(50_000)}!` };
    expect(foreignMistakes(schema, value)).toHaveLength(1);
  });
});
