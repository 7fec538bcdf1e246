import { describe, expect, test } from 'vitest';
import { compilePolicy, type ToolCall } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { addressOf } from './tool-address.ts';

const { contracts } = compilePolicy({
  version: 1,
  tools: { 'order.cancel': { effect: 'mutating', arguments: { type: 'object' } } },
} as never);

function fill(template: string, given: JsonObject) {
  return addressOf(
    { contract: contracts.get('order.cancel'), arguments: given } as ToolCall,
    template,
  );
}

const orders = 'https://shop.test/shops/7/orders/{id}';

describe('the address of a tool call', () => {
  test('contains the arguments of its path and leaves the others', () => {
    expect(fill(orders, { id: 'o-1', amount: 5 })).toEqual({
      url: 'https://shop.test/shops/7/orders/o-1',
      rest: { amount: 5 },
    });
  });

  test.each(['a/b', 'a?b#c', 'ä ö', '...', '.a', 'a..b', "it's (1)!*~", '{id}', '100%', '-'])(
    'encodes %j as one path segment',
    (id) => {
      const { url } = fill(orders, { id });
      expect(new URL(url).pathname.split('/').length).toBe(5);
      expect(decodeURIComponent(new URL(url).pathname.split('/')[4] as string)).toBe(id);
    },
  );

  test.each<JsonObject[string]>([
    '',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '.%2e',
    '../../admin',
    'a/../../b',
    'a\\..\\b',
    'a%2f..%2Fb',
    [],
    ['..'],
  ])('is refused before anything is sent when an argument of the path is %j', (id) => {
    expect(() => fill(orders, { id })).toThrow(
      expect.objectContaining({
        code: 'TOOL_FAILED',
        message: expect.stringContaining('nothing was sent'),
        details: { code: 'PATH_ARGUMENT' },
      }),
    );
  });

  test('is refused when an argument of the path is missing', () => {
    expect(() => fill(orders, {})).toThrow('the argument id of its path is missing');
  });

  test('is refused when an argument and the text beside it form an escape', () => {
    expect(() => fill('https://shop.test/a/%2{x}', { x: 'e' })).toThrow(
      expect.objectContaining({ code: 'TOOL_FAILED' }),
    );
  });

  test('is refused when an argument would choose the host', () => {
    expect(() => fill('https://{host}/a', { host: 'evil.test' })).toThrow(
      expect.objectContaining({ code: 'TOOL_FAILED' }),
    );
  });

  test('keeps query arguments unchanged, also empty ones', () => {
    const { url, rest } = fill('https://shop.test/find?q={q}&n={n}', { q: '..', n: '', m: 1 });
    expect([url, rest]).toEqual(['https://shop.test/find?q=..&n=', { m: 1 }]);
  });
});
