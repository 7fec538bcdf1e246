import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

test.each([
  ['postgres://ann:s3cret@host/db', 'no s3cret here', 'no *** here'],
  ['postgres://ann:p%40ss@host/db', 'p@ss and p%40ss', '*** and ***'],
  ['redis://:s3cret@host:6379/0', 's3cret', '***'],
  ['postgres://ann@host/db', 'nothing to hide', 'nothing to hide'],
])('hides the password of %s', (address, text, shown) => {
  expect(hideSecrets(text, [address])).toBe(shown);
});
