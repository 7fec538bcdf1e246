import { describe, expect, test } from 'vitest';
import { changeId } from '../../lanes/index.ts';
import { checkKeepable, checkSame } from './stored-unredacted.ts';

const patch = '@@ -1 +1 @@\n-const fee = 1;\n+const fee = 2;\n';
const secret = `${patch} const url = 'postgres://dev:devpassword@localhost/trading';\n`;

describe('what a task is about', () => {
  test.each<[string, string]>([
    ['in a changed line', `${patch}+const auth = 'Bearer trader-token';\n`],
    ['in a line around it', secret],
  ])('is refused when the ledger would keep other bytes: a secret %s', (_, held) => {
    const refusal = expect.objectContaining({ code: 'SECRET_NOT_KEPT' });
    expect(() => checkKeepable('change', held)).toThrow(refusal);
    expect(() => checkKeepable('test', { path: 'tests/a.test.ts', code: held })).toThrow(refusal);
  });

  test('is taken when it is kept as it is', () => {
    expect(() => checkKeepable('change', patch)).not.toThrow();
    expect(() => checkKeepable('test', { path: 'a.test.ts', code: patch })).not.toThrow();
  });

  test('is exactly what was admitted, or nothing is done with it', () => {
    const change = changeId({ patch, base: 'b1' });
    expect(() => checkSame({ patch, base: 'b1' }, change)).not.toThrow();
    const refusal = expect.objectContaining({ code: 'SECRET_NOT_KEPT' });
    expect(() => checkSame({ patch: secret, base: 'b1' }, change)).toThrow(refusal);
    expect(() => checkSame({ patch, base: 'b2' }, change)).toThrow(refusal);
  });
});
