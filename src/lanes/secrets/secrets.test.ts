import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redactSecrets, redactText, sharedLimits } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';
import { readSecrets } from './secrets.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'secrets-'));
  writeFileSync(join(root, 'key.pem'), 'first line of the key\nsecond line of the key\n');
  writeFileSync(join(root, 'short'), 'x'.repeat(laneLimits.secretCharsMin - 1));
  writeFileSync(join(root, 'enough'), 'q'.repeat(laneLimits.secretCharsMin));
  writeFileSync(join(root, 'largest'), 'z'.repeat(sharedLimits.secretBytesMax));
  writeFileSync(join(root, 'too-large'), 'z'.repeat(sharedLimits.secretBytesMax + 1));
  process.env.PAYMENTS_KEY = 'pay "me" & more';
});
afterAll(() => {
  rmSync(root, { recursive: true });
  delete process.env.PAYMENTS_KEY;
});

const read = (reference: string) =>
  readSecrets({ service: 'orders', references: { KEY: reference }, root });

// proves: system.secrets
describe('a secret', () => {
  test.each([
    ['the environment', 'env:PAYMENTS_KEY', 'pay "me" & more'],
    ['a file', 'file:./key.pem', 'first line of the key\nsecond line of the key'],
    ['a command', 'command:echo "from $(basename vault)"', 'from vault'],
    ['a file of the minimum length', 'file:enough', 'q'.repeat(laneLimits.secretCharsMin)],
  ])('is read from %s', async (_, reference, value) => {
    expect(await read(reference)).toEqual({ KEY: value });
  });

  test('may be as large as the limit', async () => {
    expect((await read('file:largest')).KEY).toHaveLength(sharedLimits.secretBytesMax);
  });

  test.each([
    ['is not in the environment', 'env:NO_SUCH_KEY', 'started without it'],
    ['refers to a missing file', 'file:nowhere', 'there is no such file'],
    ['has a command that fails', "command:echo hun''ter2 >&2; exit 3", 'it ended with code 3'],
    ['is too short to be redacted', 'file:short', 'characters'],
    ['is too large', 'file:too-large', `more than ${sharedLimits.secretBytesMax} bytes`],
    ['is printed without end', 'command:yes', `more than ${sharedLimits.secretBytesMax} bytes`],
  ])('that %s is reported by its name', async (_, reference, reason) => {
    const attempt = read(reference);
    await expect(attempt).rejects.toMatchObject({ code: 'SECRET_MISSING' });
    await expect(attempt).rejects.toThrow(`The secret KEY of orders could not be read from`);
    await expect(attempt).rejects.toThrow(reason);
    await expect(attempt).rejects.not.toThrow('hunter2');
  });

  test('is found in every form in which it is shown or stored', async () => {
    await read('env:PAYMENTS_KEY');
    await read('file:key.pem');
    const base64 = Buffer.from('pay "me" & more').toString('base64');
    const url = `http://a/?k=${encodeURIComponent('pay "me" & more')}`;
    const json = JSON.stringify({ k: 'pay "me" & more' });
    for (const text of ['say pay "me" & more!', base64, url, json, 'second line of the key']) {
      expect(redactText(text)).toContain('[redacted secret]');
      expect(redactSecrets({ deep: [text] })).not.toEqual({ deep: [text] });
    }
    expect(redactText('pay me and more')).toBe('pay me and more');
  });
});
