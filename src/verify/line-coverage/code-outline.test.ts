import { describe, expect, test } from 'vitest';
import { outlineOf } from './code-outline.ts';

/** The text of the code that each line runs, innermost range only. */
function codeByLine(text: string, file = 'service.ts'): (string[] | null)[] {
  const outline = outlineOf(file, text);
  return text.split('\n').map((_, index) => {
    const units = outline?.unitsOn(index + 1);
    return units?.map(({ ranges: [range] }) => text.slice(range?.start, range?.end)) ?? null;
  });
}

describe('the outline of a file', () => {
  test('finds no code in comments, types, imports, brackets and blank lines', () => {
    const text = [
      "import { a } from './a.ts';",
      '/** Says hello. */',
      'interface Order { readonly id: string }',
      '',
      'type Price = number;',
      '{',
      '}',
      'export class Empty {}',
    ].join('\n');
    expect(codeByLine(text)).toEqual(Array(8).fill([]));
  });

  test('takes a line within a long statement as that statement', () => {
    const text = 'const limits = {\n  // a comment\n  orders: 10,\n};';
    expect(codeByLine(text)).toEqual([[text], [], [text], []]);
  });

  test('takes the parameters of a function as the beginning of its body', () => {
    const text = 'function charge(\n  amount: number,\n  fee = 2,\n) {\n  return amount + fee;\n}';
    const body = 'return amount + fee;';
    expect(codeByLine(text)).toEqual([[body], [body], [body], [], [body], []]);
  });

  test('separates what may run without the rest of its line', () => {
    expect(codeByLine('if (a > 5) throw new Error(b);')).toEqual([
      ['if (a > 5) throw new Error(b);', 'throw new Error(b);'],
    ]);
    expect(codeByLine('const fee = a ? high(a) : low(a);')).toEqual([
      ['const fee = a ? high(a) : low(a);', 'high(a)', 'low(a)'],
    ]);
    expect(codeByLine('items.map((one) => one.price * 2);')).toEqual([
      ['items.map((one) => one.price * 2);', 'one.price * 2'],
    ]);
    expect(codeByLine("switch (a) {\n  case 'x':\n    go();\n}")).toEqual([
      ["switch (a) {\n  case 'x':\n    go();\n}"],
      ['go();'],
      ['go();'],
      [],
    ]);
  });

  test('knows function, route and condition of a line', () => {
    const text = [
      "app.post('/orders', (request) => {",
      '  if (request.amount > 10_000) {',
      '    review();',
      '  }',
      '});',
      'class Desk {',
      '  close(now) {',
      '    for (const one of this.open) one.close(now);',
      '  }',
      '}',
    ].join('\n');
    const outline = outlineOf('service.js', text);
    expect(outline?.unitsOn(3)).toMatchObject([
      { route: 'POST /orders', condition: 'if (request.amount > 10_000)' },
    ]);
    expect(outline?.unitsOn(8)[1]).toMatchObject({
      function: 'close',
      condition: 'for (… of this.open)',
    });
  });

  test('has the same key for two versions that differ only in comments, types and layout', () => {
    const key = (text: string) => outlineOf('service.ts', text)?.key;
    expect(key('const a: number = 1; // one')).toBe(key('/* 1 */ const a =\n  1;'));
    expect(key('const a = 1;')).not.toBe(key('const a = 2;'));
    expect(key("const a = 'x';")).not.toBe(key('const a = x;'));
  });

  test('is missing for text that it can not parse', () => {
    expect(outlineOf('page.tsx', 'const page = <p>Hello</p>;')).toBeNull();
    expect(outlineOf('service.ts', 'enum Color { Red }')).toBeNull();
  });

  test('is missing for code that is nested too deeply', () => {
    expect(outlineOf('service.js', `a${'.b'.repeat(50_000)};`)).toBeNull();
  });

  test('is found after TypeScript that is nested too deeply', () => {
    expect(outlineOf('service.ts', '['.repeat(20_000))).toBeNull();
    expect(outlineOf('service.ts', '!'.repeat(20_000))).toBeNull();
    expect(codeByLine('const price: number = 1;')).toEqual([['const price: number = 1;']]);
  });

  test('finds the code of every line of a long file in time that grows with its length', () => {
    const line = 'function f(a) { if (a) return b(a); return a ? c() : d(); }';
    const lines = 10_000;
    const before = process.cpuUsage();
    const outline = outlineOf('service.js', `${line}\n`.repeat(lines));
    const counts = Array.from({ length: lines }, (_, at) => outline?.unitsOn(at + 1).length);
    expect(new Set(counts).size).toBe(1);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(15);
  });
});
