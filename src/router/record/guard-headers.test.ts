import { expect, test } from 'vitest';
import { guardLines } from './guard-headers.ts';

test('keeps the security headers of an answer, and no cookie values', () => {
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
