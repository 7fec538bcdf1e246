import library from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFault } from '../fault.ts';
import { sharedLimits } from '../limits.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Json } from './json.ts';

/** RFC 8785, section 3.2.2 and 3.2.3, and the number samples of its appendix B. */
// proves: kernel.canonical-json
describe('canonical JSON follows RFC 8785', () => {
  test('the structure sample of section 3.2.3 is sorted by UTF-16 code units', () => {
    const sample = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    expect(canonicalJson(sample)).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  test('the primitive sample of section 3.2.2', () => {
    const sample = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('the double %s is written %s', (hex, text) => {
    expect(canonicalJson(Buffer.from(hex, 'hex').readDoubleBE())).toBe(text);
  });

  test('matches the canonicalize library on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(canonicalJson(value as Json)).toBe(library(value));
      }),
    );
  });
});

// proves: kernel.strict-json
describe('canonical JSON refuses values that JSON cannot represent exactly', () => {
  test.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a list of texts', ['a', '\ud800']],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['undefined', undefined],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['undefined in an array', [undefined]],
  ])('%s', (_, value) => {
    const refusal = catchError(() => canonicalJson(value as Json));
    expect(isFault(refusal, 'JSON_INVALID')).toBe(true);
  });

  test(`accepts nesting up to ${sharedLimits.jsonDepthMax} levels`, () => {
    expect(canonicalJson(nested(sharedLimits.jsonDepthMax))).toHaveLength(
      2 * sharedLimits.jsonDepthMax,
    );
    const refusal = catchError(() => canonicalJson(nested(sharedLimits.jsonDepthMax + 1)));
    expect(isFault(refusal, 'JSON_TOO_DEEP')).toBe(true);
  });

  test('refuses a cycle as nested too deep', () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(
      isFault(
        catchError(() => canonicalJson(cycle as Json)),
        'JSON_TOO_DEEP',
      ),
    ).toBe(true);
  });
});

function nested(levels: number): Json {
  let value: Json = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

function catchError(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
