import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../limits.ts';
import type { Json } from './json.ts';
import { shapeText } from './shape.ts';

describe('the shape of a value', () => {
  test.each<[Json, object]>([
    [1, { '': ['number'] }],
    [
      { items: [{ price: 1 }, { price: 'x', note: null }], id: 'a' },
      {
        '': ['object'],
        id: ['string'],
        items: ['array'],
        'items[]': ['object'],
        'items[].note': ['null'],
        'items[].price': ['number', 'string'],
      },
    ],
    // Whose names are data: they are nobody's business, and would be without number.
    [
      { 'ada@example.com': 1, order_1234: 2 },
      { '': ['object'], '*': ['number'] },
    ],
  ])('%j', (value, shape) => {
    expect(JSON.parse(shapeText(value))).toEqual(shape);
  });

  test('lists no more paths than the limit', () => {
    const wide = (members: number): Json =>
      Object.fromEntries(Array.from({ length: members }, (_, n) => [`f${letters(n)}`, n]));
    const places = (value: Json) => Object.keys(JSON.parse(shapeText(value))).length;
    expect(places(wide(sharedLimits.shapePlacesMax - 1))).toBe(sharedLimits.shapePlacesMax);
    expect(places(wide(sharedLimits.shapePlacesMax))).toBe(sharedLimits.shapePlacesMax);
  });

  test('never shows a value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = { a: [value, 'hunter2'] };
        expect(shapeText(secret as Json)).not.toContain('hunter2');
      }),
    );
  });
});

const letters = (n: number): string =>
  n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[+digit] ?? '');
