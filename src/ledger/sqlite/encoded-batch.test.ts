import { describe, expect, test } from 'vitest';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { ledgerLimits } from '../limits.ts';
import type { Batch } from '../store.ts';
import { decodeValues, encodeBatch } from './encoded-batch.ts';

function entry(seq: number, body: string): StoredEntry {
  const hashes = { digest: 'd', prev: 'p', hash: `h${seq}` };
  return { workspace: 'w', seq, at: 1, kind: 'k', actor: 'person:a', salt: 's', body, ...hashes };
}

function content(seq: number, value: string | null): StoredContent {
  const salt = value === null ? null : 's';
  return { seq, name: 'n', subject: 'x', digest: 'd', salt, value, shreddedBy: null };
}

function batch(more: Partial<Batch>): Batch {
  return { entries: [entry(1, '{}')], contents: [], rows: [], shreds: [], ...more };
}

/** As many characters as a record is counted with besides its long value. */
const smallChars = 1_000;

describe('a batch encoded for the SQLite thread', () => {
  test('decodes to the same batch, wherever it is split', () => {
    const whole = batch({
      entries: [1, 2, 3].map((seq) => entry(seq, 'b'.repeat(seq))),
      contents: [content(1, 'v'), content(2, null), content(3, '')],
      rows: [
        { key: 'a', value: '1' },
        { key: 'b', value: null },
        { key: 'c', value: '' },
      ],
    });
    for (const charsMax of [1, 2_000, 2_003, 1e6]) {
      const { head, entries, contents, rows } = encodeBatch(whole, charsMax);
      expect(head).toEqual({ seq: 3, at: 1, hash: 'h3' });
      expect([...decodeValues(entries, 9)].map((values) => values[5])).toEqual(['b', 'bb', 'bbb']);
      expect([...decodeValues(contents, 7)].map((values) => values.slice(4))).toEqual([
        ['s', 'v', null],
        [null, null, null],
        ['s', '', null],
      ]);
      expect([...decodeValues(rows, 2)]).toEqual([
        ['a', '1'],
        ['b', null],
        ['c', ''],
      ]);
    }
  });

  test('is split between records, so that no text exceeds the limit', () => {
    const value = 'v'.repeat(5_000);
    const contents = Array.from({ length: 100 }, (_, seq) => content(seq, value));
    const encoded = encodeBatch(batch({ contents }), 20_000);
    expect(encoded.contents.length).toBe(34);
    expect(Math.max(...encoded.contents.map((text) => text.length))).toBeLessThan(20_000);
    expect([...decodeValues(encoded.contents, 7)].length).toBe(100);
  });

  test('is one text per table up to the limit, and two beyond it', () => {
    const half = ledgerLimits.batchTextCharsMax / 2 - smallChars;
    const two = (chars: number): Batch =>
      batch({ contents: [content(1, 'v'.repeat(half)), content(2, 'v'.repeat(chars))] });
    expect(encodeBatch(two(half)).contents.length).toBe(1);
    expect(encodeBatch(two(half + 1)).contents.length).toBe(2);
  });

  test('has no text for a table without records', () => {
    expect(encodeBatch(batch({}))).toMatchObject({ contents: [], rows: [] });
    expect([...decodeValues([], 7)]).toEqual([]);
  });
});
