import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sealEntry } from '../../src/ledger/entry.ts';
import { SqliteDatabase } from '../../src/ledger/sqlite/database.ts';
import { encodeBatch } from '../../src/ledger/sqlite/encoded-batch.ts';
import { atLeast, atMost, type BenchResult, median, type Say } from '../bench.ts';
import { actor, body, kind } from './workload.ts';

const rounds = 5;
const small = 10_000;
const large = 1_000_000;
const perBatch = 1_000;

interface Measured {
  readonly entries: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

/** Each verification is a process of its own: its peak memory is its own, too. */
export async function measureVerify(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  const files = { small: join(directory, 'small.db'), large: join(directory, 'large.db') };
  say(`making ledgers of ${small} and ${large} entries`);
  fill(files.small, small);
  fill(files.large, large);
  const runs: { small: Measured; large: Measured }[] = [];
  for (let round = 1; round <= rounds; round++) {
    say(`verification, round ${round} of ${rounds}`);
    runs.push({ small: await verify(files.small), large: await verify(files.large) });
  }
  rmSync(directory, { recursive: true });
  const rate = median(runs.map((run) => run.large.entries / run.large.cpuSeconds));
  const wall = median(runs.map((run) => run.large.entries / run.large.seconds));
  const peaks = {
    small: median(runs.map((run) => run.small.peakMiB)),
    large: median(runs.map((run) => run.large.peakMiB)),
  };
  return {
    bars: [
      atLeast(
        'ledger.verify.rate',
        'entries verified per second of one core, from stored bytes',
        rate,
        200_000,
        'entries/s',
      ),
      atMost(
        'ledger.verify.memory',
        `peak memory with ${large} entries, relative to ${small}`,
        peaks.large / peaks.small,
        1.25,
        '×',
      ),
    ],
    rows: [
      {
        contender: 'verify',
        'entries per CPU second': Math.round(rate),
        'entries per second': Math.round(wall),
        [`peak MiB, ${small}`]: Math.round(peaks.small),
        [`peak MiB, ${large}`]: Math.round(peaks.large),
      },
    ],
  };
}

function fill(file: string, entries: number): void {
  const database = new SqliteDatabase({ file, workspace: 'bench', readOnly: false });
  for (let written = 0; written < entries; written += perBatch) {
    let { head } = database.begin([]);
    const batch = Array.from({ length: perBatch }, (_, index) => {
      const salt = String(index).padStart(32, '0');
      const sealed = sealEntry(head, {
        workspace: 'bench',
        at: Date.now(),
        kind,
        actor,
        body: body(written + index),
        salt,
      });
      head = sealed;
      return sealed;
    });
    database.commit(encodeBatch({ entries: batch, contents: [], rows: [], shreds: [] }));
  }
  database.close();
}

async function verify(file: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./verify-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
  return JSON.parse(stdout);
}
