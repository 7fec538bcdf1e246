import { describe, expect, test } from 'vitest';
import { changedPlaces, countHunks, onlyHunk, sourcesOnly } from './changed-places.ts';
import { causeClasses, classOf } from './classes.ts';
import { hypothesesOf } from './hypotheses.ts';
import { isCode, readsOf } from './line-reads.ts';

const diff = `diff --git a/quote.ts b/quote.ts
index 1..2 100644
--- a/quote.ts
+++ b/quote.ts
@@ -1,3 +1,3 @@
-const LIMIT = 10_000;
+const LIMIT = 100_000;
 
 export function big(amount: number) {
@@ -8,4 +8,5 @@ function toRequest(quote) {
-  const { tradeId, amount } = quote;
+  const { tradeId } = quote;
+  const amount = formatAmount(quote.amount);
   return { tradeId, amount };
 }
diff --git a/quote.test.ts b/quote.test.ts
index 1..2 100644
--- a/quote.test.ts
+++ b/quote.test.ts
@@ -1,1 +1,1 @@
-const a = 1;
+const a = 2;
`;
const text = `const LIMIT = 100_000;

export function big(amount: number) {
  return amount >= LIMIT;
}

function toRequest(quote) {
  const { tradeId } = quote;
  const amount = formatAmount(quote.amount);
  return { tradeId, amount };
}
`;

describe('the places at which a change may show', () => {
  const places = changedPlaces(diff, () => text);
  const at = (line: number) => places.find((place) => place.line === line);

  test('are the first line after an assignment that uses it, with the line it was before', () => {
    expect(at(10)).toMatchObject({ names: ['amount', 'tradeId'], lineBefore: 9, hunk: 1 });
  });

  test('are lines elsewhere that use a changed constant', () => {
    const reads = ['LIMIT', 'amount >= LIMIT', 'amount'];
    expect(at(4)).toMatchObject({ names: reads, lineBefore: 4, hunk: 0 });
  });

  test('are the changed lines, beside the lines that they replace', () => {
    expect(at(8)).toMatchObject({ lineBefore: 8, isNew: false });
    expect(at(9)).toMatchObject({ names: ['amount', 'quote.amount'], isNew: true });
  });

  test('are in no test', () => {
    expect(new Set(places.map(({ file }) => file))).toEqual(new Set(['quote.ts']));
  });

  test('is the first changed line if nothing can be read', () => {
    const yaml = diff.replaceAll('quote.ts', 'app.yaml').replaceAll('quote.test.ts', 'b.yaml');
    expect(changedPlaces(yaml, () => null)).toMatchObject([{ file: 'app.yaml', names: [] }]);
  });
});

test('a part of a change keeps the head of its file', () => {
  expect(countHunks(diff)).toBe(2);
  expect(onlyHunk(diff, 1)).toMatch(/^diff --git a\/quote.ts[\s\S]*formatAmount/);
  expect(onlyHunk(diff, 1)).not.toContain('LIMIT');
  expect(sourcesOnly(diff)).not.toContain('quote.test.ts');
});

test.each([
  [
    'if (order.total > LIMIT && !isPaid) {',
    ['order.total > LIMIT', 'order.total', 'LIMIT', 'isPaid'],
  ],
  ["log('amount is', amount); // total", ['amount']],
  ['return { status: 200, body: { ...validation, rule: 1 } };', ['validation']],
  ['const price = await priceOf(symbol);', ['price', 'symbol']],
])('a probe at %j reads comparisons and names', (line, expected) => {
  expect(readsOf(line)).toEqual(expected);
});

test.each(['', '// why', 'import a from "a";', '  }', 'export interface Quote {', '});'])(
  'no probe stands at %j',
  (line) => expect(isCode(line)).toBe(false),
);

test.each([
  ['const retries = 5;', 'retry-storm'],
  ['max: poolSize,', 'pool-exhaustion'],
  ['timeoutMs: 30_000', 'dependency'],
  ['const cached = cache.get(id);', 'stale-cache'],
  ['await Promise.all(items.map(async (item) => price(item)))', 'n-plus-one'],
  ['emitter.on("x", listener)', 'leak'],
  ['if (!scopes.includes("write"))', 'permission'],
  ['flags.newFees', 'flag'],
  ['process.env.REGION', 'configuration'],
  ['new Date(at)', 'time'],
  ['heap: 64', 'resource-limit'],
  ['const amount = formatAmount(quote.amount);', 'type-or-shape'],
  ['return amount >= LIMIT_USD;', 'threshold-or-branch'],
  ['return total;', 'data'],
])('%j is taken for a change of the class %s', (line, name) => {
  expect(classOf(line).name).toBe(name);
});

test('a hypothesis says what would confirm and what would refute it', () => {
  const suspect = {
    commit: 'a'.repeat(40),
    base: 'b',
    services: ['pricing'],
    by: 'x',
    at: 0,
    note: '',
  };
  const [first] = hypothesesOf(
    suspect,
    diff,
    changedPlaces(diff, () => text),
  );
  expect(first).toMatchObject({ status: 'open', evidence: [], suspect: suspect.commit });
  expect(first?.statement).toContain('quote.ts:4');
  expect(causeClasses.every(({ confirms, refutes }) => confirms !== '' && refutes !== '')).toBe(
    true,
  );
});
