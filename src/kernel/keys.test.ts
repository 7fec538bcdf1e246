import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSigningKey, verifyingKey } from './keys.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'surety-keys-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

// proves: kernel.keys
test('a signing key is created once, private to its owner, and signs', () => {
  const path = join(directory, 'keys', 'signing.pem');
  const key = openSigningKey(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openSigningKey(path).id).toBe(key.id);
  const publicKey = verifyingKey(key.publicPem);
  const signature = key.sign('text');
  expect(publicKey.id).toBe(key.id);
  expect(publicKey.verify('text', signature)).toBe(true);
  expect(publicKey.verify('texT', signature)).toBe(false);
  expect(publicKey.verify('text', `A${signature.slice(1)}`)).toBe(false);
});

test('a signing key that others can read is refused and left unchanged', () => {
  const path = join(directory, 'signing.pem');
  openSigningKey(path);
  const text = readFileSync(path, 'utf8');
  chmodSync(path, 0o640);
  expect(() => openSigningKey(path)).toThrow('mode 0640');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

// proves: kernel.keys
test('a damaged key file is refused, never replaced', () => {
  const path = join(directory, 'signing.pem');
  writeFileSync(path, 'not a key', { mode: 0o600 });
  expect(() => openSigningKey(path)).toThrow('cannot be read');
  expect(readFileSync(path, 'utf8')).toBe('not a key');
});
