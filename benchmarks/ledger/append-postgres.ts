import pg from 'pg';
import { openPostgresReader, openPostgresStore } from '../../src/ledger/postgres/store.ts';
import { startPostgres } from '../../tests/harness/postgres/postgres.ts';
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

const entriesPerRound = 6_400;
const rounds = 9;

export async function measurePostgresAppends(say: Say): Promise<BenchResult> {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    const options = { url, workspace: 'bench' };
    const ledger = await openBenchLedger(await openPostgresStore(options));
    const client = new pg.Client(url);
    await client.connect();
    const bare = await openBare(client);
    say('Postgres appends');
    const measured = await interleave(
      [{ name: 'ledger', round: () => appendConcurrently(ledger, entriesPerRound) }, bare],
      rounds,
      say,
    );
    await client.end();
    await ledger.close();
    await checkLedger(await openPostgresReader(options), [], 1 + entriesPerRound * (rounds + 1));
    const [ours, theirs] = [measured.get('ledger') ?? [], measured.get(bare.name) ?? []];
    const ratio = medianRatio(ours, theirs);
    return {
      bars: [
        atLeast(
          'ledger.append.postgres',
          `rate relative to a bare loop, ${callers} callers, fsync on`,
          ratio,
          0.6,
          '×',
        ),
      ],
      rows: [
        throughputRow(`Postgres ${postgres.version}: ledger`, ours),
        throughputRow(`Postgres ${postgres.version}: bare loop`, theirs),
      ],
    };
  } finally {
    await postgres.stop();
  }
}

/** Same bytes, same durability, same batch size, and the fastest statement there is for it. */
async function openBare(client: pg.Client): Promise<Contender> {
  await client.query(`CREATE TABLE bare (seq bigint PRIMARY KEY, at bigint, kind text, actor text,
    salt text, body text, digest text, prev text, hash text)`);
  const insert = `INSERT INTO bare SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[],
    $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])`;
  const chain = new BareChain();
  return {
    name: 'bare loop',
    async round() {
      for (let written = 0; written < entriesPerRound; written += callers) {
        const entries = Array.from({ length: callers }, () => chain.next());
        await client.query('BEGIN');
        await client.query(
          insert,
          Array.from({ length: 9 }, (_, column) => entries.map((entry) => entry[column])),
        );
        await client.query('COMMIT');
      }
      return entriesPerRound;
    },
  };
}
