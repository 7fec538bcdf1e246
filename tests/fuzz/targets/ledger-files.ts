import { createHash, createPrivateKey } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalJson,
  createClock,
  isFault,
  openSigningKey,
  type SigningKey,
  verifyingKey,
} from '../../../src/kernel/index.ts';
import {
  exportLedger,
  importLedger,
  openExport,
  Projections,
  type Verifiable,
  verifyLedger,
} from '../../../src/ledger/index.ts';
import { accounts, moveMoney, note, openTestLedger } from '../../../src/ledger/ledger.fixture.ts';
import { openSqliteReader, openSqliteStore } from '../../../src/ledger/sqlite/store.ts';
import { seeded } from '../../harness/seeded.ts';
import { type FuzzTarget, kindOf } from '../fuzzing.ts';
import { memoryDirectory } from '../memory-directory.ts';
import { below, mutate, type Random } from '../mutate.ts';

const words = ['"seq":', '"hash":"', '"body":{', '{"content":{', '{"end":{', '{"ledger":{', '\n'];

/** Export files that somebody changed: verified, and imported if they are sound. */
export async function ledgerFilesTarget(): Promise<FuzzTarget> {
  const directory = mkdtempSync(join(memoryDirectory, 'surety-fuzz-ledger-'));
  const key = fixedKey(directory);
  const original = await makeExport(join(directory, 'ledger.db'), key);
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, original);
  const entries = await entriesOf(await openExport(file));
  const trustedKeys = [verifyingKey(key.publicPem)];
  const empty = join(directory, 'empty.db');
  await openSqliteStore({ file: empty, workspace: 'default', threads: false }).close();
  let files = 0;
  const execute = async (input: Buffer): Promise<string> => {
    const file = join(directory, `export-${files++}.jsonl`);
    writeFileSync(file, input);
    try {
      return await outcomeOf(file);
    } finally {
      for (const end of ['', '.db', '.db-wal', '.db-shm']) rmSync(file + end, { force: true });
    }
  };
  const outcomeOf = async (file: string): Promise<string> => {
    const source = await openExport(file);
    const { problem } = await verifyLedger(source, { trustedKeys });
    if (problem) return `${problem.kind} ${kindOf(problem.detail)}`;
    const found = await entriesOf(source);
    if (found !== entries) throw new Error(`another history is sound: ${found.slice(0, 2_000)}`);
    // As it is after its migrations, which take longer than the import.
    copyFileSync(empty, `${file}.db`);
    const options = { file: `${file}.db`, workspace: source.workspace, threads: false };
    const store = openSqliteStore(options);
    try {
      return `imported ${await importLedger(source, store, new Projections([accounts]))}`;
    } finally {
      await store.close();
    }
  };
  return {
    seeds: [original],
    // Each reads its file several times, and waits for that.
    atOnce: 8,
    make: (random, base, others) =>
      random() < 0.4 ? withLines(random, base) : mutate(random, base, { words, others }),
    execute: (input) =>
      execute(input).catch((error) => {
        if (isFault(error)) return `${error.code} ${kindOf(error.message)}`;
        throw error;
      }),
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
  };
}

/** The same in each run: a corpus that is continued must hold no history of another key. */
function fixedKey(directory: string): SigningKey {
  const seed = createHash('sha256').update('the key of fuzzed ledger files').digest();
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const file = join(directory, 'key.pem');
  writeFileSync(file, pem.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  return openSigningKey(file);
}

/** The same in each run, too: time and random numbers are fixed. */
async function makeExport(database: string, key: SigningKey): Promise<Buffer> {
  const options = { file: database, workspace: 'default', threads: false };
  const next = seeded(1);
  const random = (bytes: number): Uint8Array =>
    Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
  const clock = createClock({ wallMs: () => 1_800_000_000_000, monotonicMs: () => 0 });
  const ledger = await openTestLedger(openSqliteStore(options), { key, clock, random });
  for (const text of ['one', 'two']) await ledger.append(note(text), moveMoney('a', 1));
  await ledger.close();
  const reader = openSqliteReader(options);
  const lines: string[] = [];
  for await (const line of exportLedger(reader)) lines.push(JSON.stringify(line));
  await reader.close();
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function entriesOf(source: Verifiable): Promise<string> {
  const found: string[] = [source.workspace];
  for await (const page of source.scanEntries(0)) {
    found.push(...page.map((entry) => canonicalJson({ ...entry })));
  }
  return found.join('\n');
}

/** Lines moved, dropped or doubled. */
function withLines(random: Random, base: Buffer): Buffer {
  const lines = base.toString().split('\n');
  const [from, to] = [below(random, lines.length), below(random, lines.length)];
  const [line = ''] = lines.splice(from, random() < 0.7 ? 1 : 0);
  if (random() < 0.6) lines.splice(to, 0, line);
  return Buffer.from(lines.join('\n'));
}
