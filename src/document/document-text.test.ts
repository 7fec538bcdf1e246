import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sharedLimits } from '../kernel/index.ts';
import { DocumentText, type Problem } from './document-text.ts';

const place = (text: string, problem: Omit<Problem, 'message'>) => {
  const { line, column } = new DocumentText(text).mistakeAt({ ...problem, message: '' });
  return `${line}:${column}`;
};
const syntax = (text: string) =>
  new DocumentText(text).syntaxMistakes().map(({ message }) => message);

describe('the line and column of a mistake are found', () => {
  test.each<[string, string, Omit<Problem, 'message'>, string]>([
    ['of a value', 'a:\n  b: c\n', { path: ['a', 'b'] }, '2:6'],
    ['of a key', 'a:\n  b: c\n', { path: ['a', 'b'], isKey: true }, '2:3'],
    ['of an item', 'a: [1, 22, 3]\n', { path: ['a', 2] }, '1:12'],
    ['of what is not there: above it', 'a:\n  b: c\n', { path: ['a', 'x', 'y'] }, '2:3'],
    ['in an empty text', '', { path: ['a'] }, '1:1'],
    ['inside of a plain text', 'a: hello\n', { path: ['a'], offset: 2 }, '1:6'],
    ['inside of a quoted text', 'a: "hello"\n', { path: ['a'], offset: 2 }, '1:7'],
    ['before a quoted text with escapes', 'a: "h\\tllo"\n', { path: ['a'], offset: 2 }, '1:4'],
    ['before a block', 'a: |\n  hello\n', { path: ['a'], offset: 2 }, '1:4'],
    ['behind letters that take two units', 'a: "😀😀x"\n', { path: ['a'], offset: 4 }, '1:9'],
    ['behind a line end of Windows', 'a: 1\r\nb: cd\r\n', { path: ['b'], offset: 1 }, '2:5'],
  ])('%s', (_, text, problem, expected) => {
    expect(place(text, problem)).toBe(expected);
  });
});

describe('a YAML document is refused', () => {
  test('with a key that reaches a prototype', () => {
    expect(syntax('a:\n  __proto__: {}\n')).toEqual(['"__proto__" can\'t be a key']);
  });

  test('with a key that is not a string', () => {
    expect(syntax('? [a, b]\n: c\n')).toEqual(['a key has to be a text']);
  });

  test('with a lone surrogate, also in a key', () => {
    expect(syntax('a: "\\ud800"\n"\\udc00": b\n')).toHaveLength(2);
  });

  test(`with more than ${sharedLimits.jsonDepthMax} levels`, () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(syntax(nested(sharedLimits.jsonDepthMax))).toEqual([]);
    expect(syntax(nested(sharedLimits.jsonDepthMax + 1))).toEqual(['at most 64 levels are read']);
  });

  test('with so many levels that the parser gives up', () => {
    expect(syntax('['.repeat(20_000))).not.toEqual([]);
  });
});

describe('${NAME}', () => {
  const text = 'a: ${X}\nb: ${Y}\nc: ${X} ${Z}\n';
  const environment = { X: 'x' };

  test('is filled in, or reported when the variable is missing', () => {
    const document = new DocumentText(text);
    expect(document.fillIn(environment).map(({ message }) => message)).toEqual([
      'the environment has no variable Y',
      'the environment has no variable Z',
    ]);
    expect(document.value()).toEqual({ a: 'x', b: '${Y}', c: 'x ${Z}' });
  });

  test('stays unchanged, or is only checked, if the caller asks for that', () => {
    const document = new DocumentText(text);
    const mistakes = document.fillIn(environment, ([key]) => (key === 'c' ? 'check' : 'leave'));
    expect(mistakes).toMatchObject([{ line: 3, message: 'the environment has no variable Z' }]);
    expect(document.value()).toEqual({ a: '${X}', b: '${Y}', c: '${X} ${Z}' });
  });

  test('does not read inherited properties of the environment', () => {
    expect(new DocumentText('a: ${toString}\n').fillIn({})).toHaveLength(1);
  });
});

test('an unknown key is reported with the nearest known one, in lists and records too', () => {
  const item = z.strictObject({ name: z.string().optional() });
  const schema = z.strictObject({
    list: z.array(item).optional(),
    record: z.record(z.string(), z.array(item)).default({}),
  });
  const document = new DocumentText('list:\n  - nmae: 1\nrecord:\n  x:\n    - naem: 1\n');
  const { error } = schema.safeParse(document.value());
  expect(document.schemaMistakes(error as z.ZodError, schema)).toMatchObject([
    { line: 2, column: 5, message: 'unknown key "nmae" in list.0; did you mean "name"?' },
    { line: 5, column: 7, message: 'unknown key "naem" in record.x.0; did you mean "name"?' },
  ]);
});
