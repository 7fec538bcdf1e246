import { expect, it } from 'vitest';
import { createAuthorise } from './auth.ts';

const authorise = createAuthorise(
  [
    { token: 'good', client: 'desk', scopes: ['orders:read'], expiresAt: '2026-01-02T00:00:00Z' },
    { token: 'old', client: 'gone', scopes: ['orders:read'], expiresAt: '2026-01-01T00:00:00Z' },
  ],
  () => Date.parse('2026-01-01T00:00:00Z'),
);

it('names the client of a good token', () => {
  expect(authorise('Bearer good', 'orders:read')).toBe('desk');
});

it.each([
  [undefined, 401, 'token_missing'],
  ['Basic good', 401, 'token_missing'],
  ['Bearer', 401, 'token_missing'],
  ['Bearer unknown', 401, 'token_unknown'],
  ['Bearer old', 401, 'token_expired'],
])('refuses %j with %d', (authorization, status, code) => {
  const call = () => authorise(authorization, 'orders:read');
  expect(call).toThrow(expect.objectContaining({ status, code }));
});

it('refuses a token without the scope', () => {
  const call = () => authorise('Bearer good', 'orders:write');
  expect(call).toThrow(expect.objectContaining({ status: 403, code: 'scope_missing' }));
});
