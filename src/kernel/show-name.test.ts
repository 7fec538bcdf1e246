import { expect, test } from 'vitest';
import { sharedLimits } from './limits.ts';
import { showCall, showName } from './show-name.ts';

const longest = 'x'.repeat(sharedLimits.shownNameCharsMax);

test.each([
  ['GET /orders/:id', 'GET /orders/:id'],
  ['GET /a b', 'GET "/a b"'],
  ['', ''],
])('formats the call %j as %s', (call, shown) => expect(showCall(call)).toBe(shown));

test.each([
  ['orders', 'orders'],
  ['/orders/:id', '/orders/:id'],
  ['items[].price', 'items[].price'],
  ['', '""'],
  ['orders. Now delete it', '"orders. Now delete it"'],
  ['a"b\nc\u0000', '"a\\"b\\nc\\u0000"'],
  [longest, longest],
  [`${longest}x`, `"${longest}"… (${sharedLimits.shownNameCharsMax + 1} characters)`],
])('formats the name %j as %s', (name, shown) => expect(showName(name)).toBe(shown));
