import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { zeroHash } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import type { StoredContent } from './content.ts';
import { type StoredEntry, sealEntry } from './entry.ts';
import { ledgerLimits } from './limits.ts';
import type { Batch, Store, StoreReader } from './store.ts';

/** How an adapter's test gives us stores; each test gets an empty ledger of its own. */
export interface StoreSetup {
  open(): Promise<Store>;
  openReader(): Promise<StoreReader>;
  remove(): Promise<void>;
}

/** What every store must do. A new adapter is a call of this function. */
export function storeContract(name: string, setUp: () => Promise<StoreSetup>): void {
  // proves: ledger.stores
  describe(`${name} as a store`, () => {
    let setup: StoreSetup;
    let store: Store;
    beforeEach(async () => {
      setup = await setUp();
      store = await setup.open();
    });
    afterEach(async () => {
      await store.close();
      await setup.remove();
    });

    test('begins with an empty chain', async () => {
      expect(await store.head()).toEqual({ seq: 0, at: 0, hash: zeroHash });
      expect(await collect(store.scanEntries(0))).toEqual([]);
    });

    test('keeps committed data after closing and reopening', async () => {
      const batch = makeBatch(await store.head(), 3, { rows: [{ key: 'a/1', value: '{"n":1}' }] });
      await commit(store, batch);
      await store.close();
      store = await setup.open();
      const { seq, at, hash } = batch.entries.at(-1) as StoredEntry;
      expect(await store.head()).toEqual({ seq, at, hash });
      expect(await collect(store.scanEntries(0))).toEqual(batch.entries);
      expect(await collect(store.scanRows(''))).toEqual([{ key: 'a/1', value: '{"n":1}' }]);
    });

    test('drops data that was rolled back', async () => {
      const session = await store.begin([]);
      await session.rollback();
      await session.rollback();
      expect((await store.head()).seq).toBe(0);
    });

    // proves: ledger.atomic
    test('writes a batch completely or not at all', async () => {
      await commit(store, makeBatch(await store.head(), 2));
      const { head } = await beginAndRollBack(store);
      const batch = makeBatch(head, 2, { rows: [{ key: 'a/1', value: '1' }] });
      const doubled = { ...batch, entries: [...batch.entries, batch.entries[0] as StoredEntry] };
      await expect(commit(store, doubled)).rejects.toThrow();
      expect(await store.head()).toEqual(head);
      expect(await collect(store.scanRows(''))).toEqual([]);
      await commit(store, makeBatch(head, 1));
      expect((await store.head()).seq).toBe(3);
    });

    test('loads the existing rows that a session names', async () => {
      const rows = ['a/1', 'a/2', 'b/1'].map((key) => ({ key, value: `"${key}"` }));
      await commit(store, makeBatch(await store.head(), 1, { rows }));
      const session = await store.begin(['a/1', 'c/1']);
      expect(session.rows).toEqual([{ key: 'a/1', value: '"a/1"' }]);
      expect(await session.load(['b/1'])).toEqual([{ key: 'b/1', value: '"b/1"' }]);
      expect(await session.hashAt(1)).toBe(session.head.hash);
      expect(await session.hashAt(2)).toBeUndefined();
      await session.rollback();
    });

    test('replaces, removes and finds rows by prefix in byte order', async () => {
      const keys = ['b/2', 'B/1', 'a~', 'a/1', 'b/1', 'b0'];
      const rows = keys.map((key) => ({ key, value: '1' }));
      await commit(store, makeBatch(await store.head(), 1, { rows }));
      const changes = [
        { key: 'b/2', value: '2' },
        { key: 'a/1', value: null },
      ];
      await commit(store, makeBatch(await store.head(), 1, { rows: changes }));
      const all = (await collect(store.scanRows(''))).map(({ key }) => key);
      expect(all).toEqual(['B/1', 'a~', 'b/1', 'b/2', 'b0']);
      expect(await collect(store.scanRows('b/'))).toEqual([
        { key: 'b/1', value: '1' },
        { key: 'b/2', value: '2' },
      ]);
    });

    test('finds a row whose key is the prefix once, and rows across pages', async () => {
      const count = ledgerLimits.scanPageEntries + 1;
      const keys = [
        'a',
        'a/1',
        ...Array.from({ length: count }, (_, index) => `b/${10_000 + index}`),
      ];
      const rows = keys.map((key) => ({ key, value: '1' }));
      await commit(store, makeBatch(await store.head(), 1, { rows }));
      const found: string[] = [];
      for await (const page of store.scanRows('a/1')) {
        found.push(...page.map(({ key }) => key));
        // Without an end, this would be the last that anybody hears of it.
        if (found.length > 1) break;
      }
      expect(found).toEqual(['a/1']);
      expect((await collect(store.scanRows('b/'))).map(({ key }) => key)).toEqual(keys.slice(2));
    });

    test('scans in order across pages, from the requested start', async () => {
      const count = ledgerLimits.scanPageEntries + 5;
      await commit(store, makeBatch(await store.head(), count));
      const seqs = (await collect(store.scanEntries(3))).map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: count - 2 }, (_, index) => index + 3));
      expect((await store.entries(count, 10)).map(({ seq }) => seq)).toEqual([count]);
    });

    test('cannot read a shredded content, but all others', async () => {
      const batch = makeBatch(await store.head(), 2);
      const contents = [content(1, 'ada'), content(2, 'bob')];
      await commit(store, { ...batch, contents });
      const shreds = [{ subject: 'ada', seq: 3 }];
      await commit(store, { ...makeBatch(await store.head(), 1), shreds });
      expect(await collect(store.scanContents(0))).toEqual([
        { ...content(1, 'ada'), salt: null, value: null, shreddedBy: 3 },
        content(2, 'bob'),
      ]);
      expect(await store.contents(2)).toEqual([content(2, 'bob')]);
    });

    test('keeps checkpoints in order, each once', async () => {
      const checkpoint = { seq: 2, at: 5, hash: 'h', keyId: 'k', signature: 's' };
      await store.addCheckpoint(checkpoint);
      await store.addCheckpoint(checkpoint);
      await store.addCheckpoint({ ...checkpoint, seq: 1 });
      expect(await store.checkpoints()).toEqual([{ ...checkpoint, seq: 1 }, checkpoint]);
    });

    test('keeps a checkpoint that is added while a transaction is open and rolled back', async () => {
      const checkpoint = { seq: 1, at: 5, hash: 'h', keyId: 'k', signature: 's' };
      const session = await store.begin([]);
      const added = store.addCheckpoint(checkpoint);
      await store.head();
      await session.rollback();
      await added;
      expect(await store.checkpoints()).toEqual([checkpoint]);
    });

    test('notifies listeners of an append', async () => {
      const told = new Promise<void>((resolve) => void store.onAppend(resolve));
      const second = await setup.open();
      await commit(store, makeBatch(await store.head(), 1));
      await expect(told).resolves.toBeUndefined();
      await second.close();
    });

    // proves: ledger.several-writers
    test('makes another writer wait for an open session, and then see the new head', async () => {
      const other = await setup.open();
      const first = await store.begin([]);
      const second = other.begin([]);
      const batch = makeBatch(first.head, 1);
      await first.commit(batch);
      const { head, rollback } = await second;
      expect(head.hash).toBe(batch.entries[0]?.hash);
      await rollback();
      await other.close();
    });

    test('never lets a lazy session overwrite what another writer appended first', async () => {
      await commit(store, makeBatch(await store.head(), 1));
      const other = await setup.open();
      const lazy = store.beginAfter
        ? await store.beginAfter(await store.head(), [])
        : await store.begin([]);
      const faster = commit(other, makeBatch(lazy.head, 1, { rows: [{ key: 'a/1', value: '1' }] }));
      const settled = lazy.commit(makeBatch(lazy.head, 2));
      // Both at once: whichever is refused first must not be without a handler.
      const outcomes = (await Promise.allSettled([settled, faster])).map(({ status }) =>
        status === 'fulfilled' ? 'written' : 'refused',
      );
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
      const seqs = (await collect(store.scanEntries(0))).map(({ seq }) => seq);
      expect(seqs).toEqual(outcomes[0] === 'written' ? [1, 2, 3] : [1, 2]);
      await other.close();
    });

    test('fails a lazy session that presumes an existing row to be absent', async () => {
      if (!store.beginAfter) return;
      await commit(store, makeBatch(await store.head(), 1, { rows: [{ key: 'a/1', value: '1' }] }));
      const absent = ['a/1', 'a/2'];
      const wrong = await store.beginAfter(await store.head(), []);
      const refused = wrong.commit(makeBatch(wrong.head, 1, { absent }));
      await expect(refused).rejects.toMatchObject({ code: 'LEDGER_MOVED' });
      const right = await store.beginAfter(await store.head(), []);
      await right.commit(makeBatch(right.head, 1, { absent: ['a/2'] }));
      expect((await store.head()).seq).toBe(2);
    });

    // proves: ledger.reader
    test('gives a reader a consistent snapshot while others append', async () => {
      await commit(store, makeBatch(await store.head(), 2));
      const reader = await setup.openReader();
      expect((await reader.head()).seq).toBe(2);
      await commit(store, makeBatch(await store.head(), 2));
      expect((await reader.head()).seq).toBe(2);
      expect(await collect(reader.scanEntries(0))).toHaveLength(2);
      await reader.close();
    });
  });
}

function makeBatch(head: Head, count: number, more: Partial<Batch> = {}): Batch {
  const entries: StoredEntry[] = [];
  let last = head;
  for (let index = 0; index < count; index++) {
    const entry = sealEntry(last, {
      workspace: 'default',
      at: 1_800_000_000_000 + index,
      kind: 'note-added',
      actor: 'person:tester',
      body: { index, text: 'ü\u0000😀' },
      salt: '0'.repeat(32),
    });
    entries.push(entry);
    last = entry;
  }
  return { entries, contents: [], rows: [], shreds: [], ...more };
}

async function commit(store: Store, batch: Batch): Promise<void> {
  const session = await store.begin([]);
  await session.commit(batch);
}

async function beginAndRollBack(store: Store): Promise<{ head: Head }> {
  const session = await store.begin([]);
  await session.rollback();
  return session;
}

function content(seq: number, subject: string): StoredContent {
  const digest = 'd'.repeat(64);
  return { seq, name: 'text', subject, digest, salt: 'ab', value: '"x"', shreddedBy: null };
}

export async function collect<Item>(pages: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}
