import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runs } from '../../tests/harness/deep.ts';
import { fault, isFault, sharedLimits, verifyingKey, zeroHash } from '../kernel/index.ts';
import type { Decided } from './batch-draft.ts';
import { exportLedger } from './export.ts';
import { openExport } from './export-file.ts';
import { importLedger } from './import.ts';
import {
  accountKey,
  accounts,
  moveMoney,
  note,
  openTestLedger,
  otherPublicKey,
  testKey,
} from './ledger.fixture.ts';
import { announcedKeys, type Ledger } from './ledger.ts';
import { ledgerLimits } from './limits.ts';
import { Projections, type ReadRows } from './projection.ts';
import { rebuildRows } from './rebuild.ts';
import { collect, type StoreSetup } from './store.contract.ts';
import type { Store, StoreSession } from './store.ts';
import { type Verification, verifyLedger } from './verify.ts';

export interface LedgerSetup extends StoreSetup {
  /** Changes the database behind the ledger's back; tables are named without a schema. */
  tamper(sql: string): Promise<void>;
}

const projections = new Projections([announcedKeys, accounts]);

/** What the ledger promises, whichever store it lies in. */
export function ledgerContract(name: string, setUp: () => Promise<LedgerSetup>): void {
  // proves: ledger.stores
  describe(`the ledger on ${name}`, () => {
    let setup: LedgerSetup;
    let store: Store;
    let ledger: Ledger;
    beforeEach(async () => {
      setup = await setUp();
      store = await setup.open();
      ledger = await openTestLedger(store);
    });
    afterEach(async () => {
      await ledger.close().catch(() => undefined);
      await setup.remove();
    });

    async function verify(anchor?: { seq: number; hash: string }): Promise<Verification> {
      const reader = await setup.openReader();
      try {
        const trustedKeys = [verifyingKey(testKey().publicPem)];
        const anchors = anchor ? [{ ...anchor, source: 'the anchor' }] : [];
        return await verifyLedger(reader, { trustedKeys, anchors });
      } finally {
        await reader.close();
      }
    }

    async function expectSound(): Promise<Verification> {
      const verification = await verify();
      expect(verification.problem).toBeNull();
      const reader = await setup.openReader();
      const rebuilt = await rebuildRows(reader, projections);
      await reader.close();
      expect(rebuilt.differences).toEqual([]);
      return verification;
    }

    test('the first entry names the workspace’s key, and is written once', async () => {
      await ledger.close();
      ledger = await openTestLedger(await setup.open());
      const entries = await ledger.entries(0, 10);
      expect(entries.map(({ kind }) => kind)).toEqual(['workspace-created']);
      expect(entries[0]?.body).toMatchObject({ keyId: testKey().id });
    });

    // proves: ledger.concurrent, ledger.rebuild
    test('300 concurrent appends are one unbroken chain, and rows equal their rebuild', async () => {
      const appends = Array.from({ length: 300 }, (_, index) =>
        ledger.append(moveMoney(`a${index % 7}`, index)),
      );
      const seqs = (await Promise.all(appends)).map(([entry]) => entry?.seq);
      expect(new Set(seqs).size).toBe(300);
      const { entries } = await expectSound();
      expect(entries).toBe(301);
    });

    // proves: ledger.batch
    test('a request sees the effects of earlier requests in the same batch', async () => {
      await ledger.append(moveMoney('a', 100));
      const spend = (): Promise<boolean> =>
        ledger.transact({
          keys: [accountKey('a')],
          decide: (rows) => {
            const enough = (rows.get<number>(accountKey('a')) ?? 0) >= 30;
            return { drafts: enough ? [moveMoney('a', -30)] : [], result: () => enough };
          },
        });
      const spent = await Promise.all(Array.from({ length: 20 }, spend));
      expect(spent.filter(Boolean)).toHaveLength(3);
      const rows = await collect(store.scanRows('account/'));
      expect(rows).toEqual([{ key: 'account/a', value: '10' }]);
    });

    // proves: ledger.atomic
    test('a request that fails leaves no trace and does not disturb the others', async () => {
      const failing = ledger.transact({
        keys: [],
        decide: () => {
          throw fault('LEASE_LOST', { resource: 'x', fence: 1 });
        },
      });
      const tooLarge = ledger.append(moveMoney('b', 5), {
        kind: 'note-added',
        actor: 'person:tester',
        body: { text: 'x'.repeat(ledgerLimits.bodyBytesMax) },
      });
      const good = ledger.append(moveMoney('a', 5));
      await expect(failing).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await expect(tooLarge).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
      expect((await good)[0]?.seq).toBe(2);
      expect(await collect(store.scanRows('account/'))).toEqual([{ key: 'account/a', value: '5' }]);
      await expectSound();
    });

    test('a row that was not named among the keys cannot be read', async () => {
      const reading = ledger.transact({
        keys: [],
        decide: (rows) => ({ drafts: [], result: () => rows.get('account/a') }),
      });
      await expect(reading).rejects.toThrow('not named among');
    });

    // proves: ledger.concurrent, ledger.rebuild
    test('random interleavings keep chain and rows sound', async () => {
      const move = fc.record({ account: fc.constantFrom('a', 'b', 'c'), amount: fc.integer() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(move, { maxLength: 8 }), { maxLength: 6 }),
          async (waves) => {
            for (const wave of waves) {
              const drafts = wave.map(({ account, amount }) => moveMoney(account, amount));
              await Promise.all(drafts.map((draft) => ledger.append(draft)));
            }
            await expectSound();
          },
        ),
        { numRuns: runs(4, 100) },
      );
    });

    test(`a body may have ${ledgerLimits.bodyBytesMax} bytes and no more`, async () => {
      const body = (bytes: number) => ({ t: 'ü'.repeat((bytes - 8) / 2) });
      const append = (bytes: number) =>
        ledger.append({ kind: 'note-added', actor: 'person:tester', body: body(bytes) });
      await expect(append(ledgerLimits.bodyBytesMax)).resolves.toHaveLength(1);
      await expect(append(ledgerLimits.bodyBytesMax + 2)).rejects.toMatchObject({
        code: 'BODY_TOO_LARGE',
      });
    });

    test(`a content may have ${sharedLimits.contentBytesMax} bytes and no more`, async () => {
      const text = 'x'.repeat(sharedLimits.contentBytesMax - 2);
      await expect(ledger.append(note(text))).resolves.toHaveLength(1);
      await expect(ledger.append(note(`${text}x`))).rejects.toMatchObject({
        code: 'CONTENT_TOO_LARGE',
      });
      await expectSound();
    });

    // proves: ledger.redaction
    test('secrets are removed before anything is stored', async () => {
      const [entry] = await ledger.append({
        kind: 'note-added',
        actor: 'person:tester',
        body: { password: 'hunter2-body' },
        contents: [{ name: 'text', subject: 's', value: { apiKey: 'hunter2-content' } }],
      });
      const stored = JSON.stringify([
        await store.entries(0, 10),
        await store.contents(entry?.seq ?? 0),
      ]);
      expect(stored).not.toContain('hunter2');
      expect(entry?.body).toMatchObject({ password: '[redacted]' });
    });

    // proves: ledger.clock
    test('time on the chain never goes back with the clock', async () => {
      await ledger.append(moveMoney('a', 1));
      await ledger.close();
      await setup.tamper(`UPDATE ${headTable(name)} SET at = at + 3600000`);
      ledger = await openTestLedger(await setup.open());
      const ahead = (await ledger.head()).at;
      const [entry] = await ledger.append(moveMoney('a', 1));
      expect(entry?.at).toBeGreaterThanOrEqual(ahead);
    });

    test('a closed ledger refuses requests', async () => {
      await ledger.close();
      await expect(ledger.append(moveMoney('a', 1))).rejects.toMatchObject({
        code: 'LEDGER_CLOSED',
      });
    });

    // proves: ledger.backpressure
    test(`${ledgerLimits.queueRequestsMax} requests may wait; the next one is refused as retryable`, async () => {
      let decided = 0;
      const submit = () =>
        ledger.transact({
          keys: [],
          decide: () => {
            decided++;
            return { drafts: [], result: () => true };
          },
        });
      const waiting = Array.from({ length: ledgerLimits.queueRequestsMax }, submit);
      await expect(submit()).rejects.toMatchObject({ code: 'LEDGER_BUSY', retryable: true });
      await Promise.all(waiting);
      expect(decided).toBe(ledgerLimits.queueRequestsMax);
    });

    // proves: ledger.tail
    test(`a transaction serves ${ledgerLimits.batchRequestsMax} requests and no more`, async () => {
      const served: number[] = [];
      const counting = wrapSessions(store, (session) => ({
        ...session,
        commit: (batch) => {
          served.push(batch.entries.length);
          return session.commit(batch);
        },
      }));
      const counted = await openTestLedger(counting);
      const append = (): Promise<unknown> => counted.append(moveMoney('a', 1));
      await Promise.all(Array.from({ length: 2 * ledgerLimits.batchRequestsMax + 1 }, append));
      // How the rest is split depends on how long each of them takes.
      expect(Math.max(...served)).toBe(ledgerLimits.batchRequestsMax);
    });

    test('a request that may wait is written with the next one, or alone after a while', async () => {
      const served: number[] = [];
      const counting = wrapSessions(store, (session) => ({
        ...session,
        commit: (batch) => {
          served.push(batch.entries.length);
          return session.commit(batch);
        },
      }));
      const counted = await openTestLedger(counting);
      await counted.append(moveMoney('a', 1));
      const waiting = (): Promise<unknown> => {
        const drafts = [moveMoney('a', 1)];
        const decide = (): Decided<void> => ({ drafts, result: () => undefined });
        return counted.transact({ keys: [accountKey('a')], mayWait: true, decide });
      };
      const company = [waiting(), waiting(), counted.append(moveMoney('a', 1))];
      await Promise.all(company);
      await waiting();
      expect(served.slice(-2)).toEqual([3, 1]);
      const last = waiting();
      await counted.close();
      await last;
      expect(served.slice(-1)).toEqual([1]);
    });

    test('a request that may wait is written although its time ends while others are decided', async () => {
      let waiting: Promise<unknown> | undefined;
      const slow = wrapSessions(store, (session) => ({
        ...session,
        load: async (keys) => {
          const decide = (): Decided<void> => ({
            drafts: [moveMoney('a', 1)],
            result: () => undefined,
          });
          waiting ??= lingering.transact({ keys: [accountKey('a')], mayWait: true, decide });
          // Longer than a request waits for company.
          await new Promise((resolve) => setTimeout(resolve, 50));
          return session.load(keys);
        },
      }));
      const lingering = await openTestLedger(slow);
      const decide = (rows: ReadRows): Decided<void> => {
        rows.get(accountKey('b'));
        return { drafts: [], result: () => undefined };
      };
      // The row that it does not name is looked up while it is decided.
      await lingering.transact({ keys: [], decide });
      await waiting;
      expect(await collect(store.scanRows('account/'))).toHaveLength(1);
      await lingering.close();
    });

    test.each([
      ['writes, too', 16],
      ['only reads', 0],
    ])('decides a batch again if the batch before it failed: one that %s', async (_, writes) => {
      let failing = 0;
      const faulty = wrapSessions(store, (session) => ({
        ...session,
        commit: async (batch) => {
          if (failing-- <= 0) return session.commit(batch);
          // Late, so that the next batch has been decided by then.
          await new Promise((resolve) => setTimeout(resolve, 50));
          await session.rollback();
          throw fault('STORE_UNAVAILABLE', { reason: 'it is away' });
        },
      }));
      const piped = await openTestLedger(faulty);
      await piped.append(moveMoney('a', 1));
      failing = 1;
      const read = { keys: [accountKey('a')], decide: readMoney };
      const first = Array.from({ length: 32 }, () => piped.append(moveMoney('a', 1)));
      const kept = Array.from({ length: writes }, () => piped.append(moveMoney('a', 100)));
      const seen = Array.from({ length: 32 - writes }, () => piped.transact(read));
      const lost = await Promise.allSettled(first);
      expect(lost.every(({ status }) => status === 'rejected')).toBe(true);
      const [written, told] = [await Promise.allSettled(kept), await Promise.allSettled(seen)];
      // A store that cannot begin ahead has taken them all as one batch, which failed.
      const isAhead = store.beginAfter !== undefined;
      const sum = 1 + (isAhead ? 100 * writes : 0);
      expect(written.every(({ status }) => (status === 'fulfilled') === isAhead)).toBe(true);
      for (const each of told) if (isAhead) expect(each).toMatchObject({ value: sum });
      expect(await piped.transact(read)).toBe(sum);
    });

    test.each([
      ['only reads', []],
      ['writes, too', [moveMoney('b', 1)]],
    ])('finds a row that was presumed absent: by a request that %s', async (_, drafts) => {
      await ledger.append(moveMoney('a', 7));
      const later = await openTestLedger(store);
      // From here on it knows where the chain ends, and nothing of that row.
      await later.append(moveMoney('b', 1));
      const found = await later.transact({
        keys: [],
        unusedKeys: [accountKey('a')],
        decide: (rows) => ({ ...readMoney(rows), drafts }),
      });
      expect(found).toBe(7);
      await expectSound();
    });

    test(`every ${ledgerLimits.checkpointEntriesEvery} entries a checkpoint is signed`, async () => {
      const count = ledgerLimits.checkpointEntriesEvery - 1;
      const seqs = async () => (await store.checkpoints()).map(({ seq }) => seq);
      // The first entry was written when the ledger was opened.
      await ledger.append(...Array.from({ length: count - 1 }, () => moveMoney('a', 1)));
      expect(await seqs()).toEqual([]);
      await ledger.append(moveMoney('a', 1));
      await expect.poll(seqs, { timeout: 20_000 }).toEqual([ledgerLimits.checkpointEntriesEvery]);
    });

    test('the tail yields existing entries, then each new one', async () => {
      await ledger.append(moveMoney('a', 1));
      const stop = new AbortController();
      const seen: number[] = [];
      for await (const { seq } of ledger.tail(2, stop.signal)) {
        seen.push(seq);
        if (seq < 5) void ledger.append(moveMoney('a', 1));
        else stop.abort();
      }
      expect(seen).toEqual([2, 3, 4, 5]);
    });

    // proves: ledger.shred
    describe('shredding', () => {
      test('deletes the contents of a subject, and the chain still verifies', async () => {
        await ledger.append(note('for ada', 'person:ada'));
        await ledger.append(note('for bob', 'person:bob'));
        await ledger.shred('person:ada', 'person:admin');
        expect(await ledger.contents(2)).toEqual([
          expect.objectContaining({ name: 'text', shreddedBy: 4 }),
        ]);
        expect(await ledger.contents(3)).toEqual([expect.objectContaining({ value: 'for bob' })]);
        await expectSound();
      });

      test('is the only valid deletion: verification finds a content deleted without an entry', async () => {
        await ledger.append(note('for ada'));
        await ledger.append(moveMoney('a', 1));
        await setup.tamper(
          `UPDATE ${table(name, 'contents')} SET salt = NULL, value = NULL, shredded_by = 3`,
        );
        expect((await verify()).problem).toMatchObject({ seq: 2, kind: 'content-edited' });
      });
    });

    // proves: ledger.chain, ledger.pinpoint
    describe('verification', () => {
      beforeEach(async () => {
        for (let index = 0; index < 9; index++) await ledger.append(moveMoney('a', index + 1));
        await ledger.append(note('text'));
        await ledger.checkpoint();
      });

      const entries = table(name, 'entries');
      const head = headTable(name);
      test.each([
        [
          'edited in its body',
          `UPDATE ${entries} SET body = replace(body, '3', '4') WHERE seq = 4`,
          4,
          'edited',
        ],
        ['edited in its time', `UPDATE ${entries} SET at = at + 1 WHERE seq = 5`, 5, 'edited'],
        [
          'edited in its actor',
          `UPDATE ${entries} SET actor = 'agent:eve' WHERE seq = 5`,
          5,
          'edited',
        ],
        [
          'edited in its salt',
          `UPDATE ${entries} SET salt = '${'f'.repeat(32)}' WHERE seq = 5`,
          5,
          'edited',
        ],
        ['dropped', `DELETE FROM ${entries} WHERE seq = 6`, 6, 'dropped'],
        ['dropped at the start', `DELETE FROM ${entries} WHERE seq = 1`, 1, 'dropped'],
        ['truncated', `DELETE FROM ${entries} WHERE seq > 8`, 9, 'truncated'],
        [
          'truncated together with the head',
          `DELETE FROM ${entries} WHERE seq > 8;
           DELETE FROM ${table(name, 'contents')} WHERE seq > 8;
           UPDATE ${head} SET seq = 8, hash = (SELECT hash FROM ${entries} WHERE seq = 8)`,
          9,
          'truncated',
        ],
        [
          'moved to another place',
          `UPDATE ${entries} SET seq = 100 WHERE seq = 4;
           UPDATE ${entries} SET seq = 4 WHERE seq = 5;
           UPDATE ${entries} SET seq = 5 WHERE seq = 100`,
          4,
          'reordered',
        ],
        [
          'edited in a content',
          `UPDATE ${table(name, 'contents')} SET value = '"other"'`,
          11,
          'content-edited',
        ],
        [
          'edited in the subject of a content',
          `UPDATE ${table(name, 'contents')} SET subject = 'person:eve'`,
          11,
          'content-edited',
        ],
        ['known by another time to the head', `UPDATE ${head} SET at = at + 1`, 11, 'edited'],
        ['robbed of a content', `DELETE FROM ${table(name, 'contents')}`, 11, 'content-missing'],
        [
          'given a forged checkpoint',
          `UPDATE ${table(name, 'checkpoints')} SET hash = '${zeroHash}'`,
          11,
          'checkpoint-invalid',
        ],
      ])('names the first entry that was %s', async (_, sql, seq, kind) => {
        expect((await verify()).problem).toBeNull();
        await setup.tamper(sql);
        expect((await verify()).problem).toMatchObject({ seq, kind });
      });

      // proves: ledger.checkpoints
      test('finds an entry rewritten with everything after it, by its checkpoints', async () => {
        const lines = await exportLines(setup);
        const file = await forge(lines, 4);
        const forged = await openExport(file);
        const trustedKeys = [verifyingKey(testKey().publicPem)];
        const { problem } = await verifyLedger(forged, { trustedKeys });
        expect(problem).toMatchObject({ seq: 11, kind: 'rewritten' });
      });

      // proves: ledger.anchor
      test('finds a different chain by an anchor kept elsewhere', async () => {
        const { hash } = await ledger.entry(7);
        expect((await verify({ seq: 7, hash })).problem).toBeNull();
        expect((await verify({ seq: 7, hash: zeroHash })).problem).toMatchObject({
          seq: 7,
          kind: 'rewritten',
        });
        expect((await verify({ seq: 99, hash })).problem).toMatchObject({
          seq: 12,
          kind: 'rolled-back',
        });
      });

      // proves: ledger.rebuild
      test('by rebuilding finds rows that do not follow from the chain', async () => {
        await setup.tamper(
          `UPDATE ${table(name, 'rows')} SET value = '1000000' WHERE key = 'account/a'`,
        );
        const reader = await setup.openReader();
        const { differences } = await rebuildRows(reader, projections);
        await reader.close();
        expect(differences).toEqual([{ key: 'account/a', expected: '45', stored: '1000000' }]);
      });
    });

    describe('export and import', () => {
      // proves: ledger.export, ledger.import
      test('of a ledger verify with the file and the public key alone, and keep it unchanged', async () => {
        for (let index = 0; index < 20; index++)
          await ledger.append(moveMoney('a', index), note('n'));
        await ledger.append(note('secret', 'person:bob'));
        await ledger.shred('person:bob', 'person:admin');
        await ledger.checkpoint();
        const file = await writeExport(await exportLines(setup));
        const source = await openExport(file);
        const trustedKeys = [verifyingKey(testKey().publicPem)];
        const verification = await verifyLedger(source, { trustedKeys });
        expect(verification).toMatchObject({ problem: null, checkpointsTrusted: 1 });
        await ledger.close();
        await setup.remove();

        setup = await setUp();
        store = await setup.open();
        expect(await importLedger(source, store, projections)).toBe(verification.entries);
        ledger = await openTestLedger(store);
        expect((await ledger.head()).hash).toBe(verification.head.hash);
        await expectSound();
        await expect(importLedger(source, store, projections)).rejects.toMatchObject({
          code: 'IMPORT_NOT_EMPTY',
        });
      });

      test('do not trust the public key of somebody else', async () => {
        await ledger.append(moveMoney('a', 1));
        await ledger.checkpoint();
        const source = await openExport(await writeExport(await exportLines(setup)));
        const trustedKeys = [verifyingKey(otherPublicKey())];
        const verification = await verifyLedger(source, { trustedKeys });
        expect(verification).toMatchObject({ checkpointsTrusted: 0, checkpointsAnnounced: 1 });
      });

      // proves: ledger.chain, ledger.export
      test.each<[string, (lines: string[]) => string[], string]>([
        ['a line is dropped', (lines) => lines.toSpliced(3, 1), 'dropped'],
        ['two lines change places', (lines) => swap(lines, 3, 4), 'reordered'],
        ['the end is cut off', (lines) => lines.slice(0, 4), 'truncated'],
        ['the last entries are cut out', (lines) => lines.toSpliced(4, 2), 'truncated'],
        ['a line is not JSON', (lines) => lines.toSpliced(3, 1, '{'), 'unreadable'],
        [
          'a line has a duplicate key',
          (lines) => lines.toSpliced(3, 1, '{"end":{},"end":{}}'),
          'unreadable',
        ],
        [
          'a line lacks a field',
          (lines) => lines.toSpliced(3, 1, '{"entry":{"seq":3}}'),
          'unreadable',
        ],
        [
          'a line has a field that no hash covers',
          (lines) => lines.with(3, (lines[3] as string).replace('"seq":', '"more":1,"seq":')),
          'unreadable',
        ],
        ['a line is something else', (lines) => lines.toSpliced(3, 1, '{"hello":1}'), 'unreadable'],
      ])('report when %s', async (_, damage, kind) => {
        for (let index = 0; index < 4; index++) await ledger.append(moveMoney('a', index));
        const file = await writeExport(damage(await exportLines(setup)));
        const verification = await verifyLedger(await openExport(file), { trustedKeys: [] }).catch(
          (error) => (isFault(error) ? { problem: { kind: 'unreadable' } } : Promise.reject(error)),
        );
        expect(verification.problem?.kind).toBe(kind);
      });
    });
  });
}

export function table(store: string, name: string): string {
  return store === 'Postgres' ? `surety.${name}` : name;
}

export function headTable(store: string): string {
  return store === 'Postgres' ? 'surety.heads' : 'head';
}

function swap(lines: string[], first: number, second: number): string[] {
  return lines.with(first, lines[second] as string).with(second, lines[first] as string);
}

async function exportLines(setup: LedgerSetup): Promise<string[]> {
  const reader = await setup.openReader();
  const lines: string[] = [];
  for await (const line of exportLedger(reader)) lines.push(JSON.stringify(line));
  await reader.close();
  return lines;
}

async function writeExport(lines: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'surety-export-'));
  exportDirectories.push(directory);
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Edits entry `seq` and chains everything after it anew, as somebody with write access could. */
async function forge(lines: readonly string[], seq: number): Promise<string> {
  const { sealEntry } = await import('./entry.ts');
  let head = { seq: 0, at: 0, hash: zeroHash };
  const forged = lines.map((text) => {
    const line = JSON.parse(text);
    if (line.entry) {
      const body = line.entry.seq === seq ? { ...line.entry.body, amount: 9_999 } : line.entry.body;
      const sealed = sealEntry(head, { ...line.entry, body, workspace: 'default' });
      const { workspace: _, ...entry } = { ...line.entry, ...sealed, body };
      head = { seq: sealed.seq, at: sealed.at, hash: sealed.hash };
      return JSON.stringify({ entry });
    }
    return line.end ? JSON.stringify({ end: head }) : text;
  });
  return writeExport(forged);
}

const exportDirectories: string[] = [];
afterEach(async () => {
  for (const directory of exportDirectories.splice(0)) await rm(directory, { recursive: true });
});

function wrapSessions(store: Store, wrap: (session: StoreSession) => StoreSession): Store {
  const { beginAfter } = store;
  return {
    ...store,
    begin: async (keys) => wrap(await store.begin(keys)),
    ...(beginAfter ? { beginAfter: async (head, keys) => wrap(await beginAfter(head, keys)) } : {}),
  };
}

function readMoney(rows: ReadRows): Decided<number> {
  const sum = rows.get<number>(accountKey('a')) ?? 0;
  return { drafts: [], result: () => sum };
}
