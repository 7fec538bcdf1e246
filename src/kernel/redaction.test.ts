import { describe, expect, test } from 'vitest';
import { redactSecrets, redactText } from './redaction.ts';

// proves: kernel.redaction
describe('redaction', () => {
  test.each([
    'password',
    'db_password',
    'apiKey',
    'api-key',
    'x-api-key',
    'client_secret',
    'Authorization',
    'Set-Cookie',
    'access_token',
    'refreshToken',
    'privateKey',
    'credentials',
    'userPassword',
    'stripeApiKey',
    'clientSecret',
    'dbCredentials',
  ])('removes the value of a field named %s, whatever its type', (name) => {
    expect(redactSecrets({ [name]: 'hunter2' })).toEqual({ [name]: '[redacted]' });
    expect(redactSecrets({ deep: [{ [name]: { inner: 1 } }] })).toEqual({
      deep: [{ [name]: '[redacted]' }],
    });
  });

  test.each([
    'tokens',
    'tokenCount',
    'key',
    'passed',
    'secretary',
    'isSecretary',
    'passwordless',
    'author',
    'cookies_accepted',
  ])('leaves a field named %s alone', (name) => {
    expect(redactSecrets({ [name]: 12 })).toEqual({ [name]: 12 });
  });

  test.each([
    ['a bearer token', 'curl -H "Authorization: Bearer abcdef0123456789"', 'abcdef0123456789'],
    ['a JWT', 'see eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF', 'SflKxwRJSMeKKF'],
    ['a live key', `key=${'sk_live'}_abcdefgh12345`, 'abcdefgh12345'],
    ['an access key', `id ${'AKIA'}ABCDEFGHIJKLMNOP`, 'ABCDEFGHIJKLMNOP'],
    ['a password in an address', 'postgres://app:s3cr3t@db:5432/orders', 's3cr3t'],
    ['a private key', `${'-----BEGIN'} PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----`, 'MIIB'],
    ['a private key without an end', `${'-----BEGIN'} EC PRIVATE KEY-----\nMIIB`, 'MIIB'],
  ])('removes %s from running text', (_, text, secret) => {
    expect(redactText(text)).not.toContain(secret);
  });

  test('keeps the text around a secret', () => {
    const text = 'POST http://127.0.0.1:4310/orders → 201 in 12 ms, order 01J9ZK, total 29.99';
    expect(redactText(text)).toBe(text);
  });

  test('takes time linear in the length of a hostile text', () => {
    // Quadratic work on this much text would take minutes and run into the test's time limit.
    const hostile = ['eyJaaaaaaaa-', 'Bearer ', '-----BEGIN PRIVATE KEY', 'a://b:', 'gho_a '];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil((2 * 1024 * 1024) / piece.length));
      expect(redactText(text).length).toBeGreaterThan(0);
    }
  });
});
