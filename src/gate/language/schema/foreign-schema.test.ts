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

describe('a schema of somebody else', () => {
  test.each<[string, JsonObject, Json, string[]]>([
    ['fits', closed, { path: 'a' }, []],
    ['lacks something', closed, {}, ["must have required property 'path'"]],
    ['has more', closed, { path: 'a', more: 1 }, ['must NOT have additional properties: more']],
    ['has another type inside', closed, { path: 1 }, ['path must be string']],
    ['cannot be followed', { $ref: 'https://elsewhere.example/schema' }, { any: 1 }, []],
    ['is none', { type: 'nonsense' }, { any: 1 }, []],
  ])('%s', (_, schema, value, mistakes) => {
    expect(foreignMistakes(schema, value)).toEqual(mistakes);
    expect(foreignMistakes(schema, value)).toEqual(mistakes);
  });

  test('with a pattern that explodes elsewhere ends at once', () => {
    const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
    const value = { text: `${'a'.repeat(50_000)}!` };
    expect(foreignMistakes(schema, value)).toHaveLength(1);
  });
});
