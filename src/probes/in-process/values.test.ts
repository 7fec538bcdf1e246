import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { probeLimits } from '../limits.ts';
import { values } from './agent.fixture.ts';

describe('a captured value', () => {
  test.each<[unknown, string, Json]>([
    [1.5, 'number', 1.5],
    [Number.NaN, 'number', 'NaN'],
    [-0, 'number', '-0'],
    [10n ** 30n, 'bigint', `1${'0'.repeat(30)}`],
    [2n ** 300n, 'bigint', '[bigint]'],
    ['15,000.00', 'string', '15,000.00'],
    [true, 'boolean', true],
    [null, 'null', null],
    [undefined, 'undefined', null],
    [Symbol.iterator, 'symbol', '[symbol]'],
    [() => 1, 'function', '[function]'],
    [[1, undefined], 'array', [1, null]],
    [{ a: { b: [1] } }, 'object', { a: { b: [1] } }],
    [new Date(0), 'object', '[date: 0]'],
    [new Map([[1, 2]]), 'object', '[collection: 1]'],
    [new Uint8Array(9), 'object', '[binary: 9]'],
    [new TypeError('bad'), 'object', { message: 'bad' }],
    [JSON.parse('{"__proto__": 1, "a": 2}'), 'object', { a: 2 }],
    [{ user: { password: 'x' } }, 'object', { user: { password: '[redacted]' } }],
    [new Proxy({}, {}), 'proxy', '[proxy]'],
    [
      ['Cookie', 'a=b', 'X-Api-Key', 'x', 'Accept', 'c'],
      'array',
      ['Cookie', '[redacted]', 'X-Api-Key', '[redacted]', 'Accept', 'c'],
    ],
    [['password', 'name', 'age'], 'array', ['password', 'name', 'age']],
  ])('%s is shown', (value, type, shown) => {
    expect(values.see(value)).toEqual([type, shown]);
  });

  test('is replaced in the process if its name is that of a secret', () => {
    expect(values.see(values.hide('hunter2'))).toEqual(['string', '[redacted]']);
    expect(values.see(values.hide({ a: 1 }))).toEqual(['object', '[redacted]']);
  });

  test('is read without accessors, and to a limited depth where it contains itself', () => {
    const loop: Record<string, unknown> = {
      get trap() {
        throw new Error('read');
      },
    };
    loop.self = loop;
    const text = JSON.stringify(values.see(loop));
    expect(text).toContain('[accessor]');
    expect(text).toContain('[object]');
  });

  test('is cut at a maximum depth, number of members, of values, and of characters', () => {
    const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
    expect(JSON.stringify(values.see(nested(probeLimits.probeValueDepthMax)))).not.toContain(
      '[object]',
    );
    expect(JSON.stringify(values.see(nested(probeLimits.probeValueDepthMax + 1)))).toContain(
      '[object]',
    );
    const items = Array(probeLimits.probeValueMembersMax).fill(1);
    expect(values.see(items)[1]).toEqual(items);
    expect(values.see([...items, 1])[1]).toEqual([...items, '[more: 1]']);
    const wide = Array.from({ length: 6 }, () => items);
    expect(JSON.stringify(values.see(wide)).match(/\b1\b/g)).toHaveLength(
      probeLimits.probeValueNodesMax - 6,
    );
    const texts = Array.from({ length: 17 }, () => 'x'.repeat(2_048));
    const shown = values.see(texts)[1] as string[];
    expect(shown.filter((text) => text.startsWith('x'))).toHaveLength(
      probeLimits.probeValueCharsMax / 2_048,
    );
  });

  test('that is a text is read up to a length, and not at all beyond another', () => {
    const long = 'x'.repeat(probeLimits.probeTextCharsMax);
    expect(values.see(long)[1]).toHaveLength(probeLimits.probeStringCharsMax + 2_048);
    expect(values.see(`${long}x`)[1]).toBe(
      `[string: ${probeLimits.probeTextCharsMax + 1} characters]`,
    );
  });

  test('has a shape without values', () => {
    const order = { id: 7, lines: [{ sku: 'a' }], paid: null, at: new Date() };
    expect(values.shapeOf(order)).toBe('{id: number, lines: [{…}], paid: null, at: [date]}');
  });
});
