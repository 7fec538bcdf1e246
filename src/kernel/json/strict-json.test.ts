import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../limits.ts';
import { parseStrictJson } from './strict-json.ts';

// proves: kernel.strict-json
describe('strict JSON', () => {
  test('reads what JSON.parse reads if it is unambiguous', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes('"__proto__"') && !/\d{16}/.test(text));
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each([
    ['a duplicate key', '{"amount":1,"amount":2}', 'appears twice'],
    ['a duplicate key behind an escape', '{"a":1,"\\u0061":2}', 'appears twice'],
    ['a duplicate key deep inside', '[{"x":[{"k":{},"k":[]}]}]', 'appears twice'],
    ['a number that overflows', '{"amount":1e400}', 'does not survive'],
    ['an integer past 2^53', '{"amount":9007199254740993}', 'does not survive'],
    ['a negative integer past 2^53', '[-9007199254740993]', 'does not survive'],
    ['one that is written with a fraction', '[9007199254740993.0]', 'does not survive'],
    ['one that is written with an exponent', '[90071992547409930e-1]', 'does not survive'],
    ['a number that vanishes', '{"amount":1e-400}', 'does not survive'],
    ['NaN', '{"amount":NaN}', 'not valid JSON'],
    ['Infinity', '[Infinity]', 'not valid JSON'],
    ['a lone surrogate', '["\\ud800"]', 'lone surrogate'],
    ['a prototype key', '{"__proto__":{"admin":true}}', '__proto__'],
    ['a prototype key behind an escape', '{"\\u005f_proto__":1}', '__proto__'],
    ['trailing text', '{} {}', ''],
    ['nothing', '', ''],
  ])('refuses %s', (_, text, reason) => {
    expect(() => parseStrictJson(text)).toThrow(reason);
  });

  test.each([
    '{"a":{"k":1},"b":{"k":2}}',
    '["k","k"]',
    '{"k":"k"}',
    '[9007199254740991, 1e300]',
    '[0.0, -0, 0e9, 0.10000000000000001, 1.7976931348623157e308]',
  ])('accepts %s', (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  test('reads a string of several megabytes', () => {
    const long = JSON.stringify({ text: 'x"\\'.repeat(3_000_000) });
    expect(parseStrictJson(long)).toEqual(JSON.parse(long));
  });

  test(`accepts nesting up to ${sharedLimits.jsonDepthMax} levels`, () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseStrictJson(nested(sharedLimits.jsonDepthMax))).toBeInstanceOf(Array);
    expect(() => parseStrictJson(nested(sharedLimits.jsonDepthMax + 1))).toThrow(
      'nested more than',
    );
  });
});
