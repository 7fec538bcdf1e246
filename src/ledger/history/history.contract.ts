import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyingKey, zeroHash } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import { sealEntry } from '../entry.ts';
import { headTable, type LedgerSetup, table } from '../ledger.contract.ts';
import { moveMoney, openTestLedger, testKey } from '../ledger.fixture.ts';
import type { Ledger } from '../ledger.ts';
import { ledgerLimits } from '../limits.ts';
import type { Store } from '../store.ts';
import { type Verification, verifyLedger } from '../verify.ts';
import { type SignedHead, signedHeadFile } from './signed-head.ts';

const owner = { actor: 'person:owner', reason: 'restored from a backup' } as const;

/**
 * Attacks by somebody who can write the database, but not the state directory: what the signed
 * head, kept there, finds out.
 */
export function historyContract(name: string, setUp: () => Promise<LedgerSetup>): void {
  describe(`the history of a ledger on ${name}`, () => {
    let setup: LedgerSetup;
    let store: Store;
    let ledger: Ledger;
    let directory: string;
    let signedHead: SignedHead;
    const [entries, head] = [table(name, 'entries'), headTable(name)];
    const [contents, checkpoints] = [table(name, 'contents'), table(name, 'checkpoints')];

    beforeEach(async () => {
      setup = await setUp();
      directory = mkdtempSync(join(tmpdir(), 'surety-head-'));
      signedHead = signedHeadFile(join(directory, 'default.json'));
      await open();
      for (let index = 0; index < 9; index++) await ledger.append(moveMoney('a', index + 1));
      await ledger.checkpoint();
    });
    afterEach(async () => {
      await ledger.close().catch(() => undefined);
      await setup.remove();
      rmSync(directory, { recursive: true });
    });

    async function open(more: Parameters<typeof openTestLedger>[1] = {}): Promise<void> {
      store = await setup.open();
      try {
        ledger = await openTestLedger(store, { signedHead, ...more });
      } catch (error) {
        await store.close();
        throw error;
      }
    }

    async function verify({ isAnchored = true } = {}): Promise<Verification> {
      const reader = await setup.openReader();
      try {
        const trustedKeys = [verifyingKey(testKey().publicPem)];
        const signed = signedHead.read();
        const anchors = signed && isAnchored ? [{ ...signed, source: 'the signed head' }] : [];
        return await verifyLedger(reader, { trustedKeys, anchors });
      } finally {
        await reader.close();
      }
    }

    /** Ends the chain at `seq`, as if nothing had ever been written after it. */
    const rollBack = (seq: number): string => `
      DELETE FROM ${entries} WHERE seq > ${seq};
      DELETE FROM ${contents} WHERE seq > ${seq};
      DELETE FROM ${checkpoints} WHERE seq > ${seq};
      UPDATE ${head} SET seq = ${seq}, at = coalesce((${column('at', seq)}), 0),
        hash = coalesce((${column('hash', seq)}), '${zeroHash}')`;
    const column = (name: string, seq: number): string =>
      `SELECT ${name} FROM ${entries} WHERE seq = ${seq}`;

    /** Edits an entry and chains everything after it anew. */
    async function rehash(from: number): Promise<string> {
      const reader = await setup.openReader();
      const all = await reader.entries(1, 10_000);
      await reader.close();
      let last: Head = { seq: 0, at: 0, hash: zeroHash };
      const statements = all.map((entry) => {
        const body = JSON.parse(entry.body);
        if (entry.seq === from) body.amount = 9_999;
        const sealed = sealEntry(last, { ...entry, body });
        last = sealed;
        const { hash, prev, digest, seq } = sealed;
        return `UPDATE ${entries} SET hash = '${hash}', prev = '${prev}', digest = '${digest}',
          body = '${sealed.body}' WHERE seq = ${seq}`;
      });
      return `${statements.join(';')}; UPDATE ${head} SET hash = '${last.hash}'`;
    }

    const attacks: readonly [string, () => string | Promise<string>, number, string][] = [
      ['a truncated chain', () => `DELETE FROM ${entries} WHERE seq > 7`, 8, 'truncated'],
      ['a chain rolled back to an earlier state', () => rollBack(7), 8, 'rolled-back'],
      ['an emptied chain', () => rollBack(0), 1, 'rolled-back'],
      ['a chain hashed again', () => rehash(4), 10, 'rewritten'],
      [
        'a chain hashed again, without checkpoints',
        async () => `${await rehash(4)}; DELETE FROM ${checkpoints}`,
        10,
        'rewritten',
      ],
      ['emptied checkpoints', () => `DELETE FROM ${checkpoints}`, 10, 'checkpoint-missing'],
      ['an edited entry', () => `UPDATE ${entries} SET body = '{}' WHERE seq = 4`, 4, 'edited'],
    ];

    // proves: ledger.history
    test.each(attacks)('verification names %s', async (_, attack, seq, kind) => {
      expect(await verify()).toMatchObject({ problem: null, unsigned: 0 });
      await setup.tamper(await attack());
      expect((await verify()).problem).toMatchObject({ seq, kind });
    });

    // proves: ledger.signed-head
    test.each([
      ['truncated', () => rollBack(7), 'entry 10'],
      ['emptied', () => rollBack(0), 'empty'],
      ['hashed again', () => rehash(4), 'another hash'],
      [
        'continued with a forged entry',
        () => `INSERT INTO ${entries} SELECT ${forged(name)} FROM ${entries} WHERE seq = 10;
          UPDATE ${head} SET seq = 11`,
        'entry 11 was edited',
      ],
    ])('a chain that was %s is not opened', async (_, attack, says) => {
      await ledger.close();
      await setup.tamper(await attack());
      const before = await verify({ isAnchored: false });
      await expect(open()).rejects.toMatchObject({
        code: 'LEDGER_DIVERGED',
        message: expect.stringContaining(says),
      });
      expect((await verify({ isAnchored: false })).head).toEqual(before.head);
    });

    test('a damaged file of the signed head keeps the ledger closed', async () => {
      await ledger.close();
      writeFileSync(join(directory, 'default.json'), '{"seq":1');
      await expect(open()).rejects.toMatchObject({ code: 'LEDGER_DIVERGED' });
      await open({ acknowledgement: owner });
    });

    // proves: ledger.signed-head
    test.each([
      ['rolled back', () => rollBack(7)],
      ['hashed again', () => rehash(4)],
    ])('a chain that is %s while the ledger is open is not signed', async (_, attack) => {
      await setup.tamper(await attack());
      await ledger.append(moveMoney('a', 1));
      await expect(ledger.checkpoint()).rejects.toMatchObject({ code: 'LEDGER_DIVERGED' });
      expect(signedHead.read()?.seq).toBe(10);
      // From then on nothing is written, until the owner has looked at it.
      await expect(ledger.append(moveMoney('a', 1))).rejects.toMatchObject({
        code: 'LEDGER_DIVERGED',
      });
      expect(ledger.divergence()?.remedy).toContain('surety ledger acknowledge');
    });

    // proves: ledger.acknowledge
    test.each([
      ['rolled back', () => rollBack(7), 'rolled-back', 8],
      [
        'truncated, with its checkpoints',
        () => rollBack(7).replace(/DELETE FROM \S*checkpoints[^;]*;/, ''),
        'rolled-back',
        8,
      ],
      ['hashed again', () => rehash(4), 'rewritten', 11],
    ])('the owner can accept a chain that was %s', async (_, attack, divergence, seq) => {
      await ledger.close();
      await setup.tamper(await attack());
      await open({ acknowledgement: owner });
      const entry = await ledger.entry(seq);
      expect(entry).toMatchObject({ kind: 'history-acknowledged', actor: owner.actor });
      expect(entry.body).toMatchObject({ divergence, lost: { seq: 10 }, found: { seq: seq - 1 } });
      for (let index = 0; index < 9; index++) await ledger.append(moveMoney('a', 1));
      await ledger.checkpoint();
      expect(await verify()).toMatchObject({ problem: null, acknowledged: [seq] });
      await ledger.close();
      await open();
    });

    test('an acknowledgement that no daemon has signed counts for nothing', async () => {
      const lost = await signedHead.read();
      await ledger.append({
        kind: 'history-acknowledged',
        actor: 'person:eve',
        body: { divergence: 'rewritten', lost: lost as never, found: lost as never, keptSeq: 0 },
      });
      await setup.tamper(await rehash(4));
      expect((await verify()).problem).toMatchObject({ seq: 10, kind: 'rewritten' });
    });

    test('another daemon of the workspace may append in between', async () => {
      const other = await openTestLedger(await setup.open());
      await other.append(moveMoney('b', 1));
      await other.close();
      await ledger.append(moveMoney('a', 1));
      await ledger.checkpoint();
      expect(signedHead.read()?.seq).toBe(12);
      expect(await verify()).toMatchObject({ problem: null, unsigned: 0 });
    });

    // proves: ledger.unsigned
    test(`${ledgerLimits.unsignedEntriesMax} entries may be unsigned and no more`, async () => {
      const most = ledgerLimits.unsignedEntriesMax;
      await ledger.append(...Array.from({ length: most - 10 }, () => moveMoney('a', 1)));
      await ledger.checkpoint();
      await setup.tamper(`DELETE FROM ${checkpoints}`);
      expect(await verify({ isAnchored: false })).toMatchObject({ problem: null, unsigned: most });
      await ledger.append(moveMoney('a', 1));
      expect((await verify({ isAnchored: false })).problem).toMatchObject({
        seq: 1,
        kind: 'unsigned',
      });
    });

    test('writes no further than the limit while checkpoints fail', async () => {
      await ledger.close();
      let isFailing = true;
      const fails = async (): Promise<void> => {
        if (isFailing) throw new Error('the disk is full');
      };
      await open({ signedHead: { ...signedHead, write: fails } });
      const append = (): Promise<unknown> => ledger.append(moveMoney('a', 1));
      const batch = Array.from({ length: ledgerLimits.unsignedEntriesMax }, () =>
        moveMoney('a', 1),
      );
      await ledger.append(...batch);
      await expect(append()).rejects.toThrow('the disk is full');
      isFailing = false;
      await append();
    });
  });
}

/** The columns of an entry that follows the last one, with a hash that does not fit. */
function forged(store: string): string {
  const columns = `11, at, kind, actor, salt, body, digest, hash, '${'f'.repeat(64)}'`;
  return store === 'Postgres' ? `workspace, ${columns}` : columns;
}
