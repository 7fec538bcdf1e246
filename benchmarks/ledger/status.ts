import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atMost, type BenchResult, median, quantile, type Row, type Say } from '../bench.ts';

const rounds = 25;
const surety = fileURLToPath(new URL('../../bin/surety.js', import.meta.url));

/** A real daemon is asked; the yardstick is a Node that does nothing. */
export async function measureStatus(say: Say): Promise<BenchResult> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-bench-'));
  run([surety, 'up', '-C', directory]);
  say('surety status against node -e 0');
  const taken = { status: [] as number[], bare: [] as number[] };
  try {
    run([surety, 'status', '-C', directory]);
    for (let round = 0; round < rounds; round++) {
      taken.status.push(time([surety, 'status', '--json', '-C', directory]));
      taken.bare.push(time(['-e', '0']));
    }
  } finally {
    run([surety, 'down', '-C', directory]);
    rmSync(directory, { recursive: true });
  }
  const over = median(taken.status.map((ms, index) => ms - (taken.bare[index] as number)));
  return {
    bars: [atMost('cli.status', 'duration of surety status beyond node -e 0', over, 150, 'ms')],
    rows: [row('surety status', taken.status), row('node -e 0', taken.bare)],
  };
}

function row(contender: string, milliseconds: number[]): Row {
  const rounded = (q: number): number => Math.round(quantile(milliseconds, q));
  return { contender, 'p50 ms': rounded(0.5), 'p99 ms': rounded(0.99) };
}

function time(words: string[]): number {
  const started = performance.now();
  run(words);
  return performance.now() - started;
}

function run(words: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')} failed: ${stderr}`);
}
