import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import { shapeOfSchema, type ValueShape } from './index.ts';

const any: ValueShape = { kind: 'any' };
const string: ValueShape = { kind: 'string' };

describe('a schema converts to a shape', () => {
  test.each<[string, JsonObject, ValueShape]>([
    ['an integer', { type: 'integer', minimum: 1, maximum: 9 }, { kind: 'int', min: 1, max: 9 }],
    ['a number', { type: 'number' }, { kind: 'double' }],
    ['a boolean', { type: 'boolean' }, { kind: 'bool' }],
    ['null', { type: 'null' }, { kind: 'null' }],
    ['a text', { type: 'string' }, string],
    // A code point may take two UTF-16 units.
    ['a short text', { type: 'string', maxLength: 5 }, { kind: 'string', lengthMax: 10 }],
    ['a choice of texts', { enum: ['EUR', 'CHFR'] }, { kind: 'string', lengthMax: 4 }],
    ['a choice of kinds', { enum: ['a', 1] }, any],
    ['a constant', { const: 3 }, { kind: 'int' }],
    ['an array', { type: 'array', items: { type: 'string' } }, { kind: 'list', items: string }],
    ['a short array', { type: 'array', maxItems: 3 }, { kind: 'list', items: any, lengthMax: 3 }],
    ['a tuple', { type: 'array', prefixItems: [{}] }, { kind: 'list', items: any }],
    ['nothing', {}, any],
    ['two types', { type: ['string', 'null'] }, any],
    ['one type in a list', { type: ['string'] }, string],
    ['either', { anyOf: [{ type: 'string' }, { type: 'string', maxLength: 1 }] }, string],
    ['either of two kinds', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, any],
    ['all of', { allOf: [{ type: 'string' }] }, any],
    ['any object', { type: 'object' }, { kind: 'object', fields: {}, open: any }],
    [
      'a strict object',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { kind: 'object', fields: { a: string }, required: ['a'] },
    ],
    [
      'an object that says so',
      { properties: {}, additionalProperties: { type: 'string' } },
      { kind: 'object', fields: {}, open: string },
    ],
    [
      'an object with patterns',
      { properties: {}, patternProperties: { '^x': {} } },
      { kind: 'object', fields: {}, open: any },
    ],
    ['a reference', { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, string],
    ['a reference to elsewhere', { $ref: 'https://example.com/a.json' }, any],
    ['a reference to nothing', { $ref: '#/constructor' }, any],
  ])('%s', (_, schema, wanted) => {
    expect(shapeOfSchema(schema)).toEqual(wanted);
  });

  test('of finite depth when the schema is recursive', () => {
    const schema = { type: 'array', maxItems: 2, items: { $ref: '#' } };
    let shape = shapeOfSchema(schema);
    let depth = 0;
    for (; shape.kind === 'list'; depth += 1) shape = shape.items;
    expect(shape).toEqual(any);
    expect(depth).toBeLessThan(20);
    expect(shapeOfSchema({ $ref: '#' })).toEqual(any);
  });
});
