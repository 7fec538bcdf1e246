import { describe, expect, test } from 'vitest';
import { rememberSecret } from './known-secrets.ts';
import { sharedLimits } from './limits.ts';
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

  test.each([
    ['numbers like cards that fail the check of Luhn', 'order 4111111111111112 shipped'],
    ['a hash', `commit ${'0a1b2c3d'.repeat(5)} by ada`],
    ['identifiers', 'prop_01K9ZZZZZZZZZZZZZZZZZZZZZZ of task_01K9ZZZZZZZZZZZZZZZZZZZZZZ'],
    ['a trace', 'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['sentences about secrets', 'password: required, token: expired; basic authentication failed'],
    ['code', 'const token = readToken(place.tokenFile); const secret = sha256(text);'],
    ['references', 'password=${DB_PASSWORD} token=$TOKEN api_key=/run/secrets/key'],
    ['settings of programs', 'npm_config_registry_url, hf_home_directory and SG.Collections'],
    ['counts', 'tokens=512 token=12 tokenCount: 99'],
  ])('keeps %s', (_, text) => {
    expect(redactText(text)).toBe(text);
  });

  test('keeps the assignments of a program, but not its keys', () => {
    const program = `login({\n  user: 'ada',\n  password: 'trader-1',\n});\n`;
    expect(redactText(program)).toBe(program);
    expect(redactText(`${program}// ${'gh'}p_${'a1'.repeat(18)}\n`)).toContain(
      '[redacted api-key]',
    );
  });

  test('removes a card from numbers and text', () => {
    const card = 4_111_111_111_111_111;
    expect(redactSecrets({ card, total: 42 })).toEqual({ card: '[redacted card]', total: 42 });
    expect(redactText('paid with 4111 1111 1111 1111')).toBe('paid with [redacted card]');
  });

  test('takes time linear in the length of a hostile text', () => {
    // Quadratic work on this much text would take minutes and run into the test's time limit.
    const hostile = [
      ...['eyJaaaaaaaa-', 'Bearer ', '-----BEGIN PRIVATE KEY', 'a://b:', 'gho_a ', 'cookie: a'],
      ...['curl -u ', 'mysql -p', 'token=', 'password ', '4111 ', 'authorization: x ', 'PuTTY-'],
    ];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil((2 * 1024 * 1024) / piece.length));
      expect(redactText(text).length).toBeGreaterThan(0);
    }
  });
});

// proves: kernel.known-secrets
describe('a declared secret', () => {
  const secret = 'Corr3ct-h0rse/b4ttery+staple "q"';
  rememberSecret(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);

  test.each([
    ['as it is', secret],
    ['in an address', encodeURIComponent(secret)],
    ['in a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in JSON', inJson],
    ['in JSON in a string', JSON.stringify(inJson).slice(1, -1)],
    ['in base64', btoa(secret)],
    ['in base64 after one byte', btoa(`:${secret}`)],
    ['in base64 after two bytes', btoa(`a:${secret}:z`)],
    ['in base64 for addresses', Buffer.from(`ada:${secret}`).toString('base64url')],
  ])('is removed %s', (_, form) => {
    const hidden = redactText(`before ${form} after`);
    expect(hidden).toMatch(/^before .*\[redacted secret].* after$/);
    expect(hidden.length).toBeLessThan(form.length + 20);
    expect(hidden).not.toContain(form.slice(8, 20));
  });

  test('is removed as the name of a field', () => {
    expect(redactSecrets({ [secret]: 1, other: 2 })).toEqual({ '[redacted secret]': 1, other: 2 });
  });
});

// proves: kernel.noticed-secrets
describe('a value of a sensitive field', () => {
  test.each([
    ['password', 'wrong-horse-77', 'wrong-horse-77'],
    ['authorization', 'Custom tk-88-wrong-horse', 'tk-88-wrong-horse'],
  ])('%s is recognised later in other texts', (name, value, secret) => {
    expect(redactText(`it said ${secret}.`)).toContain(secret);
    redactSecrets({ user: 'ada', [name]: value });
    expect(redactText(`it said ${secret}.`)).toBe('it said [redacted secret].');
    expect(redactSecrets({ note: [`x${secret}y`] })).toEqual({ note: ['x[redacted secret]y'] });
  });

  test('that is a plain word or a number is not looked for', () => {
    redactSecrets({ password: 'production', secret: '123456789' });
    expect(redactText('in production for 123456789')).toBe('in production for 123456789');
  });

  test(`is forgotten after ${2 * sharedLimits.noticedSecretsMax} newer ones, not before half of them`, () => {
    const value = (index: number): string => `noticed-${String(index).padStart(6, '0')}`;
    redactSecrets({ password: value(0) });
    for (let index = 1; index < sharedLimits.noticedSecretsMax; index++)
      redactSecrets({ password: value(index) });
    expect(redactText(value(0))).toBe('[redacted secret]');
    for (let index = 0; index < 2 * sharedLimits.noticedSecretsMax; index++)
      redactSecrets({ password: value(1_000_000 + index) });
    expect(redactText(value(0))).toBe(value(0));
  });
});
