import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { probeLimits } from '../limits.ts';
import { checkCondition, checkExpression } from './check.ts';

type Layer = (inner: string) => string;

describe('an expression that only reads', () => {
  test.each([
    'amount',
    'typeof amount',
    'order.lines[0].price',
    'order?.lines?.[index]',
    "request.headers['x-request-id']",
    'a + b * -c',
    '!(a && b) || c ? 1 : 2n',
    'a ?? b',
    "name in order && order instanceof Map && kind === 'x'",
    '`${a}-${b}`',
    '[a, b, [c]]',
    '{ a, b: c, "d": 1 }',
    'this.total',
    '(a)',
    'void 0',
    ' a\n ',
    "name.startsWith('x')",
    'Array.isArray(lines) && lines.includes(1)',
    'prices.get(sku)',
  ])('%s is accepted', (text) => {
    expect(checkExpression(text)).toMatchObject({ text, isSecret: false });
  });
});

describe('an expression that could do more', () => {
  test.each([
    ['a = 1', 'an assignment'],
    ['a.b += 1', 'an assignment'],
    ['a ||= 1', 'an assignment'],
    ['[a] = [1]', 'an assignment'],
    ['a++', 'an update'],
    ['--a.b', 'an update'],
    ['delete a.b', 'delete'],
    ['new Date', 'new'],
    ['f()', 'a call'],
    ['a.b?.()', 'a call'],
    ['a[f()]', 'a computed member'],
    ["a['pass' + 'word']", 'a computed member'],
    ["a.get('pass' + 'word')", 'a call'],
    ['`${f()}`', 'a call'],
    ['f`x`', 'a tagged template, which is a call'],
    ['() => 1', 'a function'],
    ['function () {}', 'a function'],
    ['class {}', 'a class'],
    ['{ get a() { return 1 } }', 'a method or a computed key'],
    ['{ a() {} }', 'a method or a computed key'],
    ['{ [a]: 1 }', 'a method or a computed key'],
    ['[...a]', 'a spread, which calls an iterator'],
    ['{ ...a }', 'a spread, which calls an iterator'],
    ["import('x')", 'an import'],
    ['a, b', 'a comma'],
    ['a), (b', 'a comma'],
    ['/a/', 'a regular expression'],
    ['2n ** 99999999n', 'a power'],
  ])('%s is refused', (text, construct) => {
    expect(() => checkExpression(text)).toThrow(
      expect.objectContaining({
        code: 'PROBE_NOT_READ_ONLY',
        values: { expression: text, construct },
      }),
    );
  });

  test.each([
    ['', 'it is empty'],
    [' \n', 'it is empty'],
    ['a b', 'Unexpected token'],
    ['a as number', 'Unexpected token'],
    ['a); (b', 'it is not one expression'],
    ['a); f(); (b', 'it is not one expression'],
    ['a /* why */', 'it holds a comment'],
    ['a // )', ''],
    ['a <!-- b', ''],
    ['return a', 'Unexpected token'],
    ['await a', ''],
    ['let a', ''],
    ['import.meta', ''],
    ['this.#a', ''],
  ])('%j is refused as invalid', (text, reason) => {
    expect(() => checkExpression(text)).toThrow(
      expect.objectContaining({
        code: 'PROBE_EXPRESSION_INVALID',
        message: expect.stringContaining(reason),
      }),
    );
  });

  test('is refused also inside an expression that only reads', () => {
    const harmful = fc.constantFrom(
      'f()',
      'a = 1',
      'a++',
      'delete a.b',
      'new A',
      '() => a',
      'f`x`',
    );
    const around = fc.constantFrom<Layer[]>(
      (inner) => `[1, (${inner})]`,
      (inner) => `b ? (${inner}) : c`,
      (inner) => `\`\${${inner}}\``,
      (inner) => `(${inner}).b`,
      (inner) => `typeof (${inner})`,
      (inner) => `{ a: (${inner}) }`,
      (inner) => `b && (${inner})`,
    );
    const property = fc.property(harmful, fc.array(around, { maxLength: 6 }), (inner, layers) => {
      const text = layers.reduce<string>((built, layer) => layer(built), inner);
      expect(() => checkExpression(text)).toThrow(/could change the process/);
    });
    fc.assert(property);
  });

  test('may be as long as the limit', () => {
    const longest = 'a'.repeat(probeLimits.probeExpressionCharsMax);
    expect(checkExpression(longest).text).toBe(longest);
    expect(() => checkExpression(`${longest}a`)).toThrow(/longer than/);
  });
});

describe('a secret', () => {
  test.each([
    'password',
    'user.password',
    "user['api_key']",
    'user?.session_token',
    "user.password < 'm'",
    '{ password }',
    '`${secret}`',
    'typeof (password.startsWith("a") ? 1 : "")',
    'typeof { a: 1 }[password]',
    'token.slice(0, 4)',
    'user.token[0]',
    'user["session"].at(i)',
    '`${auth}`',
    '[token]',
    '{ a: token }',
    'token < "m"',
    'token.startsWith("a") ? 1 : 2',
    'found || token',
    'cookies.get("sid")',
    'f[0].token',
    'request.rawHeaders[3]',
    'request.rawHeaders.slice(2, 4)',
  ])('is detected in %s', (text) => {
    expect(checkExpression(text).isSecret).toBe(true);
    expect(() => checkCondition(text)).toThrow(/must not depend on a secret/);
  });

  test.each([
    'typeof password',
    'user.name',
    'passwords.length',
    'typeof user.password === kind',
    'token',
    'session.userId === 7',
    '!token && session !== null',
    'token === undefined ? 1 : 2',
    'sessions[sid].user',
    'nextPageToken.slice(0, 4)',
    'request.rawHeaders',
    'request.rawHeaders.length',
  ])('is not detected in %s', (text) => {
    expect(checkExpression(text).isSecret).toBe(false);
    expect(checkCondition(text).text).toBe(text);
  });

  test('may be in a value whose name is that of a token, which is known by its name', () => {
    expect(checkExpression('user?.session["token"]').name).toBe('token');
    expect(checkExpression('token.length + 1').name).toBeUndefined();
  });
});
