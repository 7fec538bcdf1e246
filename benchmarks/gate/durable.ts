import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../src/ledger/index.ts';
import { SqliteDatabase } from '../../src/ledger/sqlite/database.ts';
import { type EncodedBatch, encodeBatch } from '../../src/ledger/sqlite/encoded-batch.ts';
import { openSqliteStore } from '../../src/ledger/sqlite/store.ts';
import {
  atLeast,
  type BenchResult,
  type Contender,
  interleave,
  median,
  medianRatio,
  perSecond,
  type Say,
  throughputRow,
} from '../bench.ts';
import { openBenchGate, refund } from './workload.ts';

type StoreSession = Awaited<ReturnType<Store['begin']>>;

const actsPerRound = 6_400;
const proposers = 64;
const rounds = 9;

/** Authorise, execute nothing, settle: two transactions each, shared by whoever waits. */
export async function measureDurable(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  const file = join(directory, 'ledger.db');
  const recording = record(openSqliteStore({ file, workspace: 'bench' }));
  const { gate, ledger } = await openBenchGate(recording.store);
  let next = 0;
  const round = async (): Promise<number> => {
    const end = next + actsPerRound;
    const proposer = async (): Promise<void> => {
      while (next < end) {
        const { status } = await gate.act(refund(next++), async () => ({ paid: true }));
        if (status !== 'committed') throw new Error(`a refund ended as ${status}`);
      }
    };
    await Promise.all(Array.from({ length: proposers }, proposer));
    return actsPerRound;
  };
  recording.start();
  await round();
  const batches = recording.stop();
  say('authorise and settle, durably');
  const bare = bareLoop(directory, batches);
  const measured = await interleave([{ name: 'gate', round }, bare], rounds, say);
  const head = await ledger.head();
  await ledger.close();
  rmSync(directory, { recursive: true });
  const expected = 2 + 2 * actsPerRound * (rounds + 2);
  if (head.seq !== expected) throw new Error(`${head.seq} entries instead of ${expected}`);
  const [ours, theirs] = [measured.get('gate') ?? [], measured.get(bare.name) ?? []];
  return {
    bars: [
      atLeast(
        'gate.durable',
        `authorise and settle, ${proposers} proposers, synchronous=FULL`,
        median(ours.map(perSecond)),
        8_000,
        '/s',
      ),
    ],
    rows: [
      throughputRow('SQLite: authorise and settle', ours),
      throughputRow(`SQLite: bare loop of the same statements`, theirs),
      {
        contender: 'SQLite: relative to the bare loop',
        ratio: Number(medianRatio(ours, theirs).toFixed(2)),
      },
    ],
  };
}

/** Keeps what one round writes, to have the same statements written by nobody but a loop. */
function record(store: Store): { store: Store; start(): void; stop(): EncodedBatch[] } {
  let kept: EncodedBatch[] | undefined;
  const keeping = (session: StoreSession): StoreSession => ({
    ...session,
    commit: (batch) => {
      kept?.push(encodeBatch(batch));
      return session.commit(batch);
    },
  });
  const begin: Store['begin'] = async (keys) => keeping(await store.begin(keys));
  const beginAfter: NonNullable<Store['beginAfter']> = async (head, keys) => {
    if (!store.beginAfter) throw new Error('the store cannot begin without a lock');
    return keeping(await store.beginAfter(head, keys));
  };
  return {
    store: { ...store, begin, beginAfter },
    start: () => {
      kept = [];
    },
    stop: () => {
      const all = kept ?? [];
      kept = undefined;
      return all;
    },
  };
}

/** Same statements, same durability, same batches; no queue, no thread, nothing to decide. */
function bareLoop(directory: string, batches: readonly EncodedBatch[]): Contender {
  let files = 0;
  return {
    name: 'bare loop',
    async round() {
      const file = join(directory, `bare-${files++}.db`);
      const database = new SqliteDatabase({ file, workspace: 'bench', readOnly: false });
      for (const batch of batches) {
        database.begin([]);
        database.commit(batch);
      }
      const { seq } = database.head();
      database.close();
      if (seq !== batches.at(-1)?.head.seq) throw new Error(`the bare loop ends at ${seq}`);
      return actsPerRound;
    },
  };
}
