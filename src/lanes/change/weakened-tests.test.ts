import { describe, expect, test } from 'vitest';
import { weakenedTests } from './weakened-tests.ts';

const file = 'services/pricing/quote.test.ts';

function patch(path: string, ...lines: string[]): string {
  return [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, '@@ -1,9 +1,9 @@']
    .concat(lines, '')
    .join('\n');
}

/** Ends of lines to who runs them, and not to git. */
const ends = ['\r', '\u2028', '\u2029'];

const why = (text: string): string[] => weakenedTests(text).map((found) => found.why);

test.each(ends)('no line of a file can look like the beginning of another: %j', (end) => {
  const text = patch(file, `+/* ${end}diff --git a/x b/x${end}@@ -1 +1 @@ */`, "+test.skip('a');");
  expect(why(text)).toEqual(['skips or singles out a test']);
  expect(why(patch(file, `+// a${end}test.skip('a', run);`))).toHaveLength(1);
});

test.each([
  ['escapes after a quote', `+'${'\\'.repeat(60)},`],
  ['a long line of numbers', `+${'1 '.repeat(300_000)},`],
  ['a long assertion', `+expect('${"\\'".repeat(200_000)}`],
])('a line is read once, however it is written: %s', (_, line) => {
  expect(why(patch(file, line))).toEqual([]);
});

describe('a test is weakened', () => {
  test.each<[string, string[], string]>([
    ['by skipping it', ["-test('a', () => {", "+test.skip('a', () => {"], 'skips'],
    ['by singling another out', ["-test('b', () => {", "+test.only('b', () => {"], 'skips'],
    ['by the name for what is off', ["-it('a', () => {", "+xit('a', () => {"], 'skips'],
    ['by letting it fail', ["-test('a', () => {", "+test.fails('a', () => {"], 'skips'],
    ['by an assertion less', ['-  expect(price).toBe(15);', '+  price;'], '1 assertions less'],
    ['by a comment', ['-  expect(price).toBe(15);', '+  // expect(price).toBe(15);'], 'less'],
    ['by saying less', ['-  expect(p).toBe(15);', '+  expect(p).toBeDefined();'], 'says less'],
    ['by leaving it at once', ['+  return;'], 'skips'],
    ['by a part of it', ['-  expect(p).toEqual(a);', '+  expect(p).toMatchObject(a);'], 'less'],
    ['by another value', ['-  expect(p).toBe(15);', '+  expect(p).toBe(-16.5);'], 'else'],
    ['by a part of what is expected', ['-    fee: 5,', '+    fee: 0,'], 'else'],
    ['by another truth', ['-  assert p is True', '+  assert p is False'], 'else'],
    [
      'by another test in its place',
      ["-test('a', () => {", '-  expect(fee(5)).toBe(1);', "+test('b', () => {", '+  expect(x);'],
      'other tests',
    ],
    ['by a test less', ["-test('a', () => {});"], '1 tests less'],
  ])('%s', (_, lines, told) => {
    expect(why(patch(file, ...lines)).join()).toContain(told);
  });

  test.each<[string, string]>([
    ['tests/test_quote.py', '+@pytest.mark.skip'],
    ['quote_test.go', '+  t.Skip("later")'],
    ['src/QuoteTest.java', '+  @Disabled'],
    ['tests/quote.rs', '+#[ignore]'],
  ])('in another language: %s', (path, line) => {
    expect(why(patch(path, line))).toEqual(['skips or singles out a test']);
  });

  test('by deleting its file', () => {
    const deleted = `diff --git a/${file} b/${file}\ndeleted file mode 100644\n--- a/${file}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-test('a', () => {\n-  expect(1).toBe(1);\n-});\n`;
    expect(weakenedTests(deleted)).toEqual([
      { file, why: 'has 1 tests less' },
      { file, why: 'has 1 assertions less' },
      { file, why: 'is deleted with its tests' },
    ]);
    const other = patch(
      'services/pricing/b.test.ts',
      "+test('b', () => {",
      '+  expect(1).toBe(1);',
    );
    expect(weakenedTests(deleted + other)).toEqual([{ file, why: 'is deleted with its tests' }]);
    const moved = patch(
      'services/pricing/b.test.ts',
      "+test('a', () => {",
      '+  expect(1).toBe(1);',
    );
    expect(weakenedTests(deleted + moved)).toEqual([]);
  });

  test.each<[string, string]>([
    ['vitest.config.ts', "+  exclude: ['services'],"],
    ['services/pricing/jest.config.js', '+  testMatch: [],'],
    ['pytest.ini', '+addopts = -k nothing'],
    ['package.json', '+    "test": "true",'],
    ['pyproject.toml', '+addopts = "-k nothing"'],
  ])('by which are run: %s', (path, line) => {
    expect(why(patch(path, line))).toEqual(['changes which tests are run']);
  });

  test('by a name under which nobody runs it', () => {
    const renamed = `diff --git a/${file} b/services/pricing/quote.old.ts\nsimilarity index 100%\nrename from ${file}\nrename to services/pricing/quote.old.ts\n`;
    expect(why(renamed)).toEqual(['is no test as services/pricing/quote.old.ts']);
  });
});

describe('a test is as strong as before', () => {
  test.each<[string, string]>([
    ['with another package', patch('package.json', '+    "zod": "^4.0.0",')],
    ['further in', patch(file, '-  expect(p).toBe(15);', '+      expect(p).toBe(15);')],
    ['with another comment', patch(file, '-  // at 5,', '+  // at 6,')],
    ['with another subject', patch(file, '-  expect(p).toBe(15);', '+  expect(q).toBe(15);')],
    ['with another name', patch(file, "-test('a', () => {", "+test('the price', () => {")],
    ['with one more', patch(file, "+test('b', () => {", '+  expect(1).toBe(1);', '+});')],
    ['with a skipped one that runs again', patch(file, "-test.skip('a'", "+test('a', () => {")],
    ['where there is no test', patch('services/pricing/quote.ts', '-  assert(x);', '-test(1);')],
    [
      'in another file',
      patch(file, "-test('a', () => {", '-  expect(1).toBe(1);') +
        patch('services/pricing/price.test.ts', "+test('a', () => {", '+  expect(1).toBe(1);'),
    ],
  ])('%s', (_, text) => {
    expect(weakenedTests(text)).toEqual([]);
  });
});
