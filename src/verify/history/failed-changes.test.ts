import { describe, expect, test, vi } from 'vitest';
import { canonicalJson, redactSecrets } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { ledgerLimits } from '../../ledger/limits.ts';
import { verifyLimits } from '../limits.ts';
import { failedChanges, isFailedAgain, shinglesOf, shinglesToStore } from './failed-changes.ts';

/** A diff of one file, as git prints it, from its changed lines. */
const diff = (changed: string, file = 'src/pay.ts'): string =>
  [
    `diff --git a/${file} b/${file}`,
    `--- a/${file}`,
    `+++ b/${file}`,
    '@@ -1,9 +1,9 @@',
    ' function pay(order) {',
    ...changed.split('\n'),
    ' }',
    '',
  ].join('\n');

/** The ledger after changes that failed with these lines. */
function ledgerAfter(...failed: (readonly string[])[]): Parameters<typeof isFailedAgain>[1] {
  const values = new Map();
  const rows = { get: (key: string) => values.get(key), set: values.set.bind(values) };
  for (const [n, shingles] of failed.entries()) {
    const entry = { body: { id: `verdict_${n}`, shingles } } as unknown as Entry;
    failedChanges.apply(rows as never, entry);
    for (const key of failedChanges.keys(entry)) expect(values.has(key)).toBe(true);
  }
  return {
    async *rows(prefix: string) {
      for (const [key, value] of values) if (key.startsWith(prefix)) yield { key, value };
    },
  } as never;
}

const failed = `-  return charge(order.total);
+  const total = String(order.total);
+  return charge(total);`;

describe('a failed change is recognised', () => {
  test.each<[string, string, boolean]>([
    ['if the lines are the same', diff(failed), true],
    ['with other white space', diff(failed.replace('total =', 'total  =')), true],
    ['with an added comment', diff(`${failed} // as text`), true],
    [
      'with comment lines in between',
      diff(failed.replace('\n+  ret', '\n+  // it\n+\n+  ret')),
      true,
    ],
    ['with one more line', diff(failed.replace('\n+  ret', '\n+  log(total);\n+  ret')), true],
    [
      'with other line breaks',
      diff(failed.replace('String(', 'String(\n+    ').replace('(total)', '(\n+    total)')),
      true,
    ],
    [
      'together with another file',
      diff('+export const more = 1;', 'src/a.ts') + diff(failed),
      true,
    ],
    ['not in another file', diff(failed, 'src/other.ts'), false],
    [
      'not in a repair that keeps one line',
      diff(failed.replace('String(order.total)', 'order.sum')),
      false,
    ],
    ['not in a repair of all lines', diff('-  return charge(order.total);\n+  return 1;'), false],
    ['not in a comment', diff('+  // const total = String(order.total);'), false],
    ['not in reformatted code', diff('-  charge( 1 );\n+  charge(1);'), false],
  ])('%s', async (_, again, expected) => {
    const ledger = ledgerAfter(shinglesOf(diff(failed)));
    expect(await isFailedAgain(shinglesOf(again), ledger)).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ['the same removal', '-  if (!user) return 401;', true],
    ['the same removal and a reformatted line', '-  if (!user) return 401;\n-a( );\n+a();', true],
    ['a replacement', '-  if (!user) return 401;\n+  check(user);', false],
    ['an addition', '+  if (!user) return 401;', false],
  ])(
    'after a failed removal of a line, recognises only a removal: %s',
    async (_, again, expected) => {
      const ledger = ledgerAfter(shinglesOf(diff('-  if (!user) return 401;')));
      expect(await isFailedAgain(shinglesOf(diff(again)), ledger)).toBe(expected);
    },
  );

  test('ignores tests and binary files', () => {
    expect(shinglesOf(diff(failed, 'tests/pay.test.ts'))).toEqual([]);
    expect(shinglesOf(diff(`+PNG${'\0 '.repeat(100)}`))).toEqual([]);
    expect(shinglesOf(diff(`+PNG \uFFFD one two three`))).toEqual([]);
  });
});

test('a large patch is compared in linear time', () => {
  const lines = (name: string) => Array.from({ length: 100 }, (_, n) => `${name}${n}`);
  const patch = diff([...lines('-a'), ...lines('+b')].join('\n'));
  const looked = vi.spyOn(Array.prototype, 'includes');
  try {
    expect(shinglesOf(patch)).toHaveLength(97);
    expect(looked.mock.calls.length).toBeLessThan(100);
  } finally {
    looked.mockRestore();
  }
});

test('stores shingles up to the limit, and an entry can hold them', async () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, n) => diff(`+line${n}`, `${n}/a.ts`)).join('');
  const most = shinglesToStore(shinglesOf(files(verifyLimits.failedShinglesMax)));
  expect(most).toHaveLength(verifyLimits.failedShinglesMax);
  const more = shinglesOf(files(verifyLimits.failedShinglesMax + 1));
  expect(shinglesToStore(more)).toHaveLength(verifyLimits.failedShinglesMax);
  expect(await isFailedAgain(more, ledgerAfter(shinglesToStore(more)))).toBe(true);
  expect(canonicalJson(most).length).toBeLessThan(ledgerLimits.bodyBytesMax / 2);
  expect(redactSecrets(most)).toEqual(most);
});

test('keeps the last failed changes of a file up to the limit', async () => {
  const one = (n: number) => shinglesOf(diff(`+  const line = ${n};`));
  const failing = (count: number) =>
    ledgerAfter(...Array.from({ length: count }, (_, n) => one(n)));
  expect(await isFailedAgain(one(0), failing(verifyLimits.failedChangesMax))).toBe(true);
  const over = failing(verifyLimits.failedChangesMax + 1);
  expect(await isFailedAgain(one(0), over)).toBe(false);
  expect(await isFailedAgain(one(verifyLimits.failedChangesMax), over)).toBe(true);
});

test('compares only the first words of a very large change', () => {
  const words = (count: number): string =>
    Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
  const most = verifyLimits.failedWordsMax;
  const runsOf = (count: number): number => shinglesOf(diff(`+${words(count)}`)).length;
  expect(runsOf(most)).toBe(most - 3);
  expect(runsOf(most + 1)).toBe(most - 3);
  // A line without an end is left out as a whole, and so are those after it.
  expect(shinglesOf(diff(`+${'a'.repeat(8 * most + 1)}\n+one two three four`))).toEqual([]);
});
