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

test.each(ends)('a line in a file cannot pass as the header of another file: %j', (end) => {
  const text = patch(file, `+/* ${end}diff --git a/x b/x${end}@@ -1 +1 @@ */`, "+test.skip('a');");
  expect(why(text)).toEqual(['skips or singles out a test']);
  expect(why(patch(file, `+// a${end}test.skip('a', run);`))).toHaveLength(1);
});

test.each([
  ['many escapes after a quote', `+'${'\\'.repeat(60)},`],
  ['a long line of numbers', `+${'1 '.repeat(300_000)},`],
  ['a long assertion', `+expect('${"\\'".repeat(200_000)}`],
])('reads %s in linear time', (_, line) => {
  expect(why(patch(file, line))).toEqual([]);
});

describe('a test is weakened', () => {
  test.each<[string, string[], string]>([
    ['by skipping it', ["-test('a', () => {", "+test.skip('a', () => {"], 'skips'],
    ['by running only another test', ["-test('b', () => {", "+test.only('b', () => {"], 'skips'],
    ['by a prefix that disables it', ["-it('a', () => {", "+xit('a', () => {"], 'skips'],
    ['by expecting it to fail', ["-test('a', () => {", "+test.fails('a', () => {"], 'skips'],
    ['by removing an assertion', ['-  expect(price).toBe(15);', '+  price;'], '1 assertions less'],
    [
      'by commenting out an assertion',
      ['-  expect(price).toBe(15);', '+  // expect(price).toBe(15);'],
      'less',
    ],
    [
      'by a weaker assertion',
      ['-  expect(p).toBe(15);', '+  expect(p).toBeDefined();'],
      'says less',
    ],
    ['by returning early', ['+  return;'], 'skips'],
    [
      'by comparing only a part',
      ['-  expect(p).toEqual(a);', '+  expect(p).toMatchObject(a);'],
      'less',
    ],
    ['by expecting another value', ['-  expect(p).toBe(15);', '+  expect(p).toBe(-16.5);'], 'else'],
    ['by expecting another value of one field', ['-    fee: 5,', '+    fee: 0,'], 'else'],
    ['by expecting False instead of True', ['-  assert p is True', '+  assert p is False'], 'else'],
    [
      'by replacing it with another test',
      ["-test('a', () => {", '-  expect(fee(5)).toBe(1);', "+test('b', () => {", '+  expect(x);'],
      'other tests',
    ],
    ['by removing it', ["-test('a', () => {});"], '1 tests less'],
  ])('%s', (_, lines, reason) => {
    expect(why(patch(file, ...lines)).join()).toContain(reason);
  });

  test.each<[string, string]>([
    ['tests/test_quote.py', '+@pytest.mark.skip'],
    ['quote_test.go', '+  t.Skip("later")'],
    ['src/QuoteTest.java', '+  @Disabled'],
    ['tests/quote.rs', '+#[ignore]'],
  ])('by skipping it in another language: %s', (path, line) => {
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
  ])('by configuring which tests run: %s', (path, line) => {
    expect(why(patch(path, line))).toEqual(['changes which tests are run']);
  });

  test('by renaming its file so that no runner finds it', () => {
    const renamed = `diff --git a/${file} b/services/pricing/quote.old.ts\nsimilarity index 100%\nrename from ${file}\nrename to services/pricing/quote.old.ts\n`;
    expect(why(renamed)).toEqual(['is no test as services/pricing/quote.old.ts']);
  });
});

describe('a test is as strong as before', () => {
  test.each<[string, string]>([
    ['when a package is added', patch('package.json', '+    "zod": "^4.0.0",')],
    ['when it is indented', patch(file, '-  expect(p).toBe(15);', '+      expect(p).toBe(15);')],
    ['when a comment changes', patch(file, '-  // at 5,', '+  // at 6,')],
    [
      'when the tested expression changes',
      patch(file, '-  expect(p).toBe(15);', '+  expect(q).toBe(15);'),
    ],
    ['when it is renamed', patch(file, "-test('a', () => {", "+test('the price', () => {")],
    ['when a test is added', patch(file, "+test('b', () => {", '+  expect(1).toBe(1);', '+});')],
    ['when a skipped test runs again', patch(file, "-test.skip('a'", "+test('a', () => {")],
    [
      'when the changed file has no tests',
      patch('services/pricing/quote.ts', '-  assert(x);', '-test(1);'),
    ],
    [
      'when it moves to another file',
      patch(file, "-test('a', () => {", '-  expect(1).toBe(1);') +
        patch('services/pricing/price.test.ts', "+test('a', () => {", '+  expect(1).toBe(1);'),
    ],
  ])('%s', (_, text) => {
    expect(weakenedTests(text)).toEqual([]);
  });
});
