import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteReader, openSqliteStore } from '../../src/ledger/sqlite/store.ts';
import {
  atLeast,
  type BenchResult,
  type Contender,
  interleave,
  medianRatio,
  type Say,
  throughputRow,
} from '../bench.ts';
import {
  appendConcurrently,
  BareChain,
  callers,
  checkLedger,
  openBenchLedger,
} from './workload.ts';

const entriesPerRound = 12_800;
const rounds = 9;

export async function measureSqliteAppends(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  const options = { file: join(directory, 'ledger.db'), workspace: 'bench' };
  const ledger = await openBenchLedger(openSqliteStore(options));
  const bare = openBare(join(directory, 'bare.db'));
  say('SQLite appends');
  const measured = await interleave(
    [{ name: 'ledger', round: () => appendConcurrently(ledger, entriesPerRound) }, bare],
    rounds,
    say,
  );
  await ledger.close();
  await checkLedger(openSqliteReader(options), [], 1 + entriesPerRound * (rounds + 1));
  rmSync(directory, { recursive: true });
  const [ours, theirs] = [measured.get('ledger') ?? [], measured.get(bare.name) ?? []];
  const ratio = medianRatio(ours, theirs);
  return {
    bars: [
      atLeast(
        'ledger.append.sqlite',
        `rate relative to a bare loop, ${callers} callers, synchronous=FULL`,
        ratio,
        0.6,
        '×',
      ),
    ],
    rows: [throughputRow('SQLite: ledger', ours), throughputRow('SQLite: bare loop', theirs)],
  };
}

/** Same bytes, same durability, same batch size; no queue, no thread, nobody to answer. */
function openBare(file: string): Contender {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE entries (seq INTEGER PRIMARY KEY, at INTEGER, kind TEXT, actor TEXT, salt TEXT,
      body TEXT, digest TEXT, prev TEXT, hash TEXT) STRICT`);
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const chain = new BareChain();
  return {
    name: 'bare loop',
    async round() {
      for (let written = 0; written < entriesPerRound; written += callers) {
        database.exec('BEGIN IMMEDIATE');
        for (let index = 0; index < callers; index++) insert.run(...chain.next());
        database.exec('COMMIT');
      }
      return entriesPerRound;
    },
  };
}
