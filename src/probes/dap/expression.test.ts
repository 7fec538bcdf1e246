import { describe, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { parseReadExpression } from './expression.ts';
import type { DapLanguage } from './expression-tokens.ts';

const codeOf = (text: string, language: DapLanguage): unknown => {
  try {
    return parseReadExpression(text, language);
  } catch (error) {
    return isFault(error) ? error.code : error;
  }
};

describe('expressions of probes in Python and Go', () => {
  test('may read names, attributes and indexes', () => {
    expect(parseReadExpression("order.items[0]['name']", 'Python')).toEqual([
      'index',
      ['index', ['attribute', ['name', 'order'], 'items'], ['literal', 0]],
      ['literal', 'name'],
    ]);
  });

  test('may compare and combine, with the operators of the language', () => {
    const expected = [
      'or',
      [
        'and',
        ['compare', '>=', ['name', 'a'], ['negative', ['literal', 1.5]]],
        ['not', ['name', 'b']],
      ],
      ['compare', '!=', ['name', 'c'], ['literal', null]],
    ];
    expect(parseReadExpression('a >= -1.5 and not b or c != None', 'Python')).toEqual(expected);
    expect(parseReadExpression('a >= -1.5 && !b || c != nil', 'Go')).toEqual(expected);
    const is = ['compare', 'is not', ['name', 'a'], ['literal', null]];
    expect(parseReadExpression('(a) is not None', 'Python')).toEqual(is);
  });

  test.each([
    ['f()', 'Python'],
    ['order.save()', 'Python'],
    ['a[f(1)]', 'Python'],
    ['a = 1', 'Python'],
    ['a := 1', 'Go'],
    ['(a := 1)', 'Python'],
    ['lambda: a', 'Python'],
    ['await a', 'Python'],
    ['a + b', 'Python'],
    ['{a}', 'Python'],
    ['call f()', 'Go'],
    ['func() {}', 'Go'],
    ['int(a)', 'Go'],
    ['*p', 'Go'],
  ] as const)('may not contain %s (%s)', (text, language) => {
    expect(codeOf(text, language)).toMatch(/PROBE_NOT_READ_ONLY|PROBE_EXPRESSION_INVALID/);
  });

  test.each([
    '',
    'a.',
    'a[',
    '(a',
    'a b',
    'a; b',
    'a if b else c',
    '[x for x in y]',
    "f'{a}'",
    '"a\\x41"',
    'a\n=b',
    'a, b',
    '@a',
    '`a`',
    'a # comment',
    '1a',
    `${'('.repeat(50)}a${')'.repeat(50)}`,
    `${'not '.repeat(5)}`,
  ])('that are no plain expression are refused: %j', (text) => {
    expect(codeOf(text, 'Python')).toMatch(/PROBE_(NOT_READ_ONLY|EXPRESSION_INVALID)/);
  });

  test('name a call and an assignment in the refusal', () => {
    expect(() => parseReadExpression('f()', 'Go')).toThrow('it contains a call');
    expect(() => parseReadExpression('a = 1', 'Go')).toThrow('it contains an assignment');
  });
});
