import { describe, expect, test } from 'vitest';
import { findBlocks } from '../../lanes/index.ts';
import { suspectLines } from './suspect-lines.ts';

const patch = `diff --git a/services/pricing/quote.ts b/services/pricing/quote.ts
--- a/services/pricing/quote.ts
+++ b/services/pricing/quote.ts
@@ -1,7 +1,8 @@
 import { total } from './total.ts';
-const unit = 'cent';
+const unit = 'dollar';
 
 export function quote(trade) {
-  return send('/validations', { amount: trade.amount });
+  const amount = format(trade.amount);
+  return send('/validations', { amount });
 }
@@ -40,2 +41,3 @@ function round() {
   return value;
+  // the amount of validations
 }
diff --git a/services/orders/index.ts b/services/orders/index.ts
--- a/services/orders/index.ts
+++ b/services/orders/index.ts
@@ -9 +9 @@
-const amount = 1; // validations
+const amount = 2; // validations
diff --git a/old.ts b/old.ts
deleted file mode 100644
--- a/old.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/logo.png b/logo.png
Binary files differ
`;

const ownerOf = (file: string): string[] => [/services\/(\w+)/.exec(file)?.[1] ?? ''];

describe('changed lines', () => {
  test('are read block by block, with their line in the changed file', () => {
    const blocks = findBlocks(patch).map(({ file, line, changed }) => [file, line, changed.length]);
    expect(blocks).toEqual([
      ['services/pricing/quote.ts', 2, 2],
      ['services/pricing/quote.ts', 5, 3],
      ['services/pricing/quote.ts', 42, 1],
      ['services/orders/index.ts', 9, 2],
      ['old.ts', 0, 1],
    ]);
    expect(findBlocks('no patch')).toEqual([]);
  });

  test('of a service come before those of its tests, whatever these mention', () => {
    const tested = `diff --git a/services/pricing/quote.test.ts b/services/pricing/quote.test.ts
--- a/services/pricing/quote.test.ts
+++ b/services/pricing/quote.test.ts
@@ -1,0 +1 @@
+expect(send('/validations', { amount, request, pricing, validation })).toBe(5);
${patch}`;
    const words = ['pricing → validation POST /validations', 'request amount'];
    const found = suspectLines({ service: 'pricing', words }, findBlocks(tested), ownerOf);
    expect(found.map(({ file }) => file)).toEqual(Array(3).fill('services/pricing/quote.ts'));
  });

  test('of the responsible service come first if they name field and route, comments last', () => {
    const words = ['pricing → validation POST /validations', 'request amount'];
    const found = suspectLines({ service: 'pricing', words }, findBlocks(patch), ownerOf);
    expect(found.map(({ line }) => line)).toEqual([5, 2, 42]);
    expect(found[0]?.text).toHaveLength(3);
    expect(found[0]?.likeliest).toBe(2);
  });

  test('are those of all files if no changed service is responsible', () => {
    const files = (service: string | null) =>
      suspectLines({ service, words: ['amount'] }, findBlocks(patch), ownerOf).map(
        (one) => one.file,
      );
    expect(files(null)).toContain('services/orders/index.ts');
    expect(files('audit')).toContain('services/orders/index.ts');
    expect(files('orders')).toEqual(['services/orders/index.ts']);
  });

  test('of a long block are those around the line with the most words', () => {
    const lines = Array.from({ length: 60 }, (_, n) => `+  line${n === 40 ? ' amount' : ''};`);
    const long = `diff --git a/a.ts b/a.ts\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,60 @@\n${lines.join('\n')}\n`;
    const [found] = suspectLines({ service: null, words: ['amount'] }, findBlocks(long), ownerOf);
    expect([found?.line, found?.text.length]).toEqual([37, 8]);
    expect(found?.text).toContain('+  line amount;');
  });
});
