import { expect, test } from 'vitest';
import type { Invocation } from '../../command.ts';
import { run } from './curl.ts';

test.each([
  ['an address, which would take the key elsewhere', 'http://elsewhere.invalid/', {}],
  ['a path without a beginning', 'orders/7', {}],
  ['a method that is none', '/orders/7', { method: 'G T' }],
  ['a body with GET', '/orders/7', { method: 'get', data: '{}' }],
  ['a header without a value', '/orders/7', { header: 'authorization' }],
])('lane curl sends nothing for %s', async (_, path, options) => {
  const invocation: Partial<Invocation> = { words: ['lane_1', path], options };
  await expect(run(invocation as Invocation)).rejects.toMatchObject({ code: 'USAGE' });
});
