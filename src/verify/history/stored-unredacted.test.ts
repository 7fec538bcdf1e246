import { describe, expect, test } from 'vitest';
import { changeId } from '../../lanes/index.ts';
import { checkStorable, checkUnchanged } from './stored-unredacted.ts';

const patch = '@@ -1 +1 @@\n-const fee = 1;\n+const fee = 2;\n';
const secret = `${patch} const url = 'postgres://dev:devpassword@localhost/trading';\n`;

describe('the change or test of a task', () => {
  test.each<[string, string]>([
    ['in a changed line', `${patch}+const auth = 'Bearer trader-token';\n`],
    ['in a line around it', secret],
  ])('is refused with a secret %s, which the ledger would redact', (_, held) => {
    const refusal = expect.objectContaining({ code: 'SECRET_NOT_KEPT' });
    expect(() => checkStorable('change', held)).toThrow(refusal);
    expect(() => checkStorable('test', { path: 'tests/a.test.ts', code: held })).toThrow(refusal);
  });

  test('is accepted without a secret', () => {
    expect(() => checkStorable('change', patch)).not.toThrow();
    expect(() => checkStorable('test', { path: 'a.test.ts', code: patch })).not.toThrow();
  });

  test('is refused if the stored bytes differ from the admitted ones', () => {
    const change = changeId({ patch, base: 'b1' });
    expect(() => checkUnchanged({ patch, base: 'b1' }, change)).not.toThrow();
    const refusal = expect.objectContaining({ code: 'SECRET_NOT_KEPT' });
    expect(() => checkUnchanged({ patch: secret, base: 'b1' }, change)).toThrow(refusal);
    expect(() => checkUnchanged({ patch, base: 'b2' }, change)).toThrow(refusal);
  });
});
