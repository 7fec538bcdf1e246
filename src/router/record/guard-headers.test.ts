import { expect, test } from 'vitest';
import { guardLines } from './guard-headers.ts';

test('of an answer, what guards it is kept, and nothing that a cookie says', () => {
  const raw = [
    ...['Content-Type', 'text/html', 'X-Frame-Options', 'DENY'],
    ...['Set-Cookie', 'session=hunter2; Secure; HttpOnly', 'set-cookie', 'theme=dark'],
    ...['X-Api-Key', 'hunter2'],
  ];
  expect(guardLines(raw)).toEqual({
    'x-frame-options': ['DENY'],
    'set-cookie': ['session=; Secure; HttpOnly', 'theme='],
  });
});
