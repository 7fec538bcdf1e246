import { describe, expect, test } from 'vitest';
import { readChangedCode } from '../line-coverage/changed-code.ts';
import { hintsOf } from './code-hints.ts';

/** A diff with the whole file as its context. */
function diffOf(file: string, lines: readonly string[]): string {
  return [
    `diff --git a/${file} b/${file}`,
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -1,${lines.length} +1,${lines.length} @@`,
    ...lines,
    '',
  ].join('\n');
}

const typescript = diffOf('orders.ts', [
  ' const ITEMS_MAX = 1_00;',
  " const CURRENCY: string = 'EUR';",
  ' const OTHER = 77;',
  ' function check(body: Body) {',
  "   if (body.side === 'buy') return 7;",
  '-  if (body.items.length > ITEMS_MAX) throw new Error(CURRENCY);',
  '+  if (body.items.length >= ITEMS_MAX) throw new Error(CURRENCY);',
  '   return body.amount > 10_000.5;',
  ' }',
]);

const python = diffOf('fees.py', [
  ' LEAST = 1.25',
  ' def fee(amount, kind):',
  '-    return 3 if kind == "card" and amount > LEAST else 4',
  '+    return 3 if kind == "card" and amount >= LEAST else 4',
]);

describe('hints of a change', () => {
  test('name the numbers, texts and names of the changed lines first, then those beside them', () => {
    const { numbers, texts, names, namesBeside } = hintsOf(readChangedCode(typescript));
    expect(numbers).toEqual([100, 7, 10_000.5]);
    expect(texts).toEqual(['EUR', 'buy']);
    expect([...names]).toEqual(expect.arrayContaining(['items', 'length']));
    expect([...namesBeside]).toEqual(expect.arrayContaining(['side', 'amount']));
    expect(names).not.toContain('side');
  });

  test('leave out words, fields and paths that are new', () => {
    const added = diffOf('orders.ts', [
      " const known = ['buy', body.side];",
      "+const added = ['hold', body.reference, '/holds'];",
      "-const added = ['sell', body.account, '/sales'];",
    ]);
    expect(hintsOf(readChangedCode(added))).toMatchObject({
      texts: ['sell', 'buy'],
      fields: ['sell', 'account'],
      paths: ['/sales'],
    });
  });

  test('are found in a language that nobody parses', () => {
    expect(hintsOf(readChangedCode(python))).toMatchObject({
      numbers: [3, 4, 1.25],
      texts: ['card'],
    });
  });

  test('name rates, also those in texts, and whether the changed lines round', () => {
    const decimals = diffOf('fees.py', ['-RATE = Decimal("0.001")', '+RATE = round(0.002, 2)']);
    const { rates, isRounding } = hintsOf(readChangedCode(decimals));
    expect([rates.toSorted(), isRounding]).toEqual([[0.001, 0.002], true]);
    const word = diffOf('fees.py', ['-A = "1.001"', '+A = "around.05"']);
    expect(hintsOf(readChangedCode(word)).rates).toEqual([]);
  });

  test('are empty for a change of comments', () => {
    const comment = diffOf('orders.ts', [' const A = 5;', '-// Was 12.', '+// Is 13.']);
    expect(hintsOf(readChangedCode(comment))).toEqual({
      numbers: [],
      rates: [],
      isRounding: false,
      texts: [],
      names: new Set(),
      namesBeside: new Set(),
      fields: [],
      quoted: [],
      paths: [],
    });
  });
});
