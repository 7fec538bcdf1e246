import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalJson, isFault, verifyingKey } from '../../../src/kernel/index.ts';
import {
  exportLedger,
  importLedger,
  openExport,
  Projections,
  type Verifiable,
  verifyLedger,
} from '../../../src/ledger/index.ts';
import {
  accounts,
  moveMoney,
  note,
  openTestLedger,
  testKey,
} from '../../../src/ledger/ledger.fixture.ts';
import { openSqliteReader, openSqliteStore } from '../../../src/ledger/sqlite/store.ts';
import { type FuzzTarget, kindOf } from '../fuzzing.ts';
import { below, mutate, type Random } from '../mutate.ts';

const words = ['"seq":', '"hash":"', '"body":{', '{"content":{', '{"end":{', '{"ledger":{', '\n'];

/** Export files that somebody changed: verified, and imported if they are sound. */
export async function ledgerFilesTarget(): Promise<FuzzTarget> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-fuzz-ledger-'));
  const original = await makeExport(join(directory, 'ledger.db'));
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, original);
  const entries = await entriesOf(await openExport(file));
  const trustedKeys = [verifyingKey(testKey().publicPem)];
  let imports = 0;
  const execute = async (input: Buffer): Promise<string> => {
    writeFileSync(file, input);
    const source = await openExport(file);
    const { problem } = await verifyLedger(source, { trustedKeys });
    if (problem) return `${problem.kind} ${kindOf(problem.detail)}`;
    const found = await entriesOf(source);
    if (found !== entries) throw new Error(`another history is sound: ${found.slice(0, 2_000)}`);
    const database = join(directory, `import-${imports++}.db`);
    const store = openSqliteStore({ file: database, workspace: source.workspace, threads: false });
    try {
      return `imported ${await importLedger(source, store, new Projections([accounts]))}`;
    } finally {
      await store.close();
      for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true });
    }
  };
  return {
    seeds: [original],
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

async function makeExport(database: string): Promise<Buffer> {
  const options = { file: database, workspace: 'default', threads: false };
  const ledger = await openTestLedger(openSqliteStore(options));
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
