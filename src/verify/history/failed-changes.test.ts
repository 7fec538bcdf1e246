import { describe, expect, test, vi } from 'vitest';
import { canonicalJson, redactSecrets } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { ledgerLimits } from '../../ledger/limits.ts';
import { verifyLimits } from '../limits.ts';
import { failedChanges, isFailedAgain, keptShingles, shinglesOf } from './failed-changes.ts';

/** A diff of one file, as git tells it, from its changed lines. */
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

describe('of a change that failed, the same is done again', () => {
  test.each<[string, string, boolean]>([
    ['by the very same lines', diff(failed), true],
    ['with another blank', diff(failed.replace('total =', 'total  =')), true],
    ['with a comment', diff(`${failed} // as text`), true],
    [
      'with lines of comment between',
      diff(failed.replace('\n+  ret', '\n+  // it\n+\n+  ret')),
      true,
    ],
    [
      'with a line more between',
      diff(failed.replace('\n+  ret', '\n+  log(total);\n+  ret')),
      true,
    ],
    [
      'by lines that end elsewhere',
      diff(failed.replace('String(', 'String(\n+    ').replace('(total)', '(\n+    total)')),
      true,
    ],
    ['beside another file', diff('+export const more = 1;', 'src/a.ts') + diff(failed), true],
    ['not in another file', diff(failed, 'src/other.ts'), false],
    [
      'not by a repair that keeps a line',
      diff(failed.replace('String(order.total)', 'order.sum')),
      false,
    ],
    ['not by a repair of all lines', diff('-  return charge(order.total);\n+  return 1;'), false],
    ['not by what it only says of it', diff('+  // const total = String(order.total);'), false],
    ['not by another format of what was there', diff('-  charge( 1 );\n+  charge(1);'), false],
  ])('%s', async (_, again, expected) => {
    const ledger = ledgerAfter(shinglesOf(diff(failed)));
    expect(await isFailedAgain(shinglesOf(again), ledger)).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ['takes it away', '-  if (!user) return 401;', true],
    ['takes it away, and the format of another', '-  if (!user) return 401;\n-a( );\n+a();', true],
    ['puts something else in its place', '-  if (!user) return 401;\n+  check(user);', false],
    ['brings it', '+  if (!user) return 401;', false],
  ])('where one that only took a line away failed: %s', async (_, again, expected) => {
    const ledger = ledgerAfter(shinglesOf(diff('-  if (!user) return 401;')));
    expect(await isFailedAgain(shinglesOf(diff(again)), ledger)).toBe(expected);
  });

  test('tests and binary files are no lines of it', () => {
    expect(shinglesOf(diff(failed, 'tests/pay.test.ts'))).toEqual([]);
    expect(shinglesOf(diff(`+PNG${'\0 '.repeat(100)}`))).toEqual([]);
    expect(shinglesOf(diff(`+PNG \uFFFD one two three`))).toEqual([]);
  });
});

test('no line of a patch is looked for among all others', () => {
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

test('of a change as much is remembered as may be, and an entry can hold it', async () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, n) => diff(`+line${n}`, `${n}/a.ts`)).join('');
  const most = keptShingles(shinglesOf(files(verifyLimits.failedShinglesMax)));
  expect(most).toHaveLength(verifyLimits.failedShinglesMax);
  const more = shinglesOf(files(verifyLimits.failedShinglesMax + 1));
  expect(keptShingles(more)).toHaveLength(verifyLimits.failedShinglesMax);
  expect(await isFailedAgain(more, ledgerAfter(keptShingles(more)))).toBe(true);
  expect(canonicalJson(most).length).toBeLessThan(ledgerLimits.bodyBytesMax / 2);
  expect(redactSecrets(most)).toEqual(most);
});

test('of a file the last changes that failed are remembered, as many as may be', async () => {
  const one = (n: number) => shinglesOf(diff(`+  const line = ${n};`));
  const failing = (count: number) =>
    ledgerAfter(...Array.from({ length: count }, (_, n) => one(n)));
  expect(await isFailedAgain(one(0), failing(verifyLimits.failedChangesMax))).toBe(true);
  const over = failing(verifyLimits.failedChangesMax + 1);
  expect(await isFailedAgain(one(0), over)).toBe(false);
  expect(await isFailedAgain(one(verifyLimits.failedChangesMax), over)).toBe(true);
});

test('of a change with very many words the first are compared', () => {
  const words = (count: number): string =>
    Array.from({ length: count }, (_, n) => `w${n}`).join(' ');
  const most = verifyLimits.failedWordsMax;
  const runsOf = (count: number): number => shinglesOf(diff(`+${words(count)}`)).length;
  expect(runsOf(most)).toBe(most - 3);
  expect(runsOf(most + 1)).toBe(most - 3);
  // A line without an end is left out as a whole, and so are those after it.
  expect(shinglesOf(diff(`+${'a'.repeat(8 * most + 1)}\n+one two three four`))).toEqual([]);
});
