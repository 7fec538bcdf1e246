import { expect, test } from 'vitest';
import { isSecretField } from './secret-field.ts';

test.each([
  ...['password', 'token', 'reset_token', 'resettoken', 'csrfToken', 'apiToken', 'tokens', 'TOKEN'],
  ...['otp', 'totpCode', 'pin', 'userPin', 'code', 'authCode', 'verification_code', 'couponCode'],
  ...['sig', 'signature', 'X-Amz-Signature', 'key', 'licenseKey', 'keys', 'cvv', 'card.cvc', 'pwd'],
  ...['user[token]', 'tokens[]', 'sid', 'sessionId', 'PHPSESSID', 'code_verifier', 'SAMLResponse'],
  ...['APIKey', 'authkey', 'jwt', 'id_token_hint', 'securityAnswer', 'passcode', 'OTPCode'],
])('a field named %s is a secret', (name) => {
  expect(isSecretField(name)).toBe(true);
});

test.each([
  ...[
    '',
    'id',
    'name',
    'email',
    'keyword',
    'monkey',
    'zipcode',
    'zip_code',
    'countryCode',
    'barcode',
  ],
  ...['currency-code', 'statusCode', 'idempotencyKey', 'sort_key', 'max_tokens', 'totalTokens'],
  ...[
    'pinned',
    'shipping',
    'design',
    'codec',
    'hotplate',
    'author',
    'page',
    'q',
    'compass',
    'signal',
  ],
])('a field named %s is harmless', (name) => {
  expect(isSecretField(name)).toBe(false);
});
