import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { jsonDepthMax } from './limits.ts';

const nested = (levels: number): unknown =>
  levels === 0 ? 1 : levels % 2 === 0 ? [nested(levels - 1)] : { a: nested(levels - 1) };

describe('canonical JSON of the verifier', () => {
  test('follows RFC 8785', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
    );
  });

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['an infinity', [Number.POSITIVE_INFINITY]],
    ['a big integer', 1n],
    ['a symbol', Symbol('a')],
    ['a function', () => 1],
    ['a lone surrogate', 'a\udc00'],
    ['a lone surrogate as a key', { '\ud800': 1 }],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a boxed text', Object('a')],
    ['a hole', Array(1)],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  test('accepts the maximum depth and no more', () => {
    expect(canonicalJson(nested(jsonDepthMax))).toContain('1');
    expect(() => canonicalJson(nested(jsonDepthMax + 1))).toThrow('nested');
  });
});
