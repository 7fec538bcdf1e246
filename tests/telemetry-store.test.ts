import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { createClock } from '../src/kernel/index.ts';
import { telemetryLimits } from '../src/telemetry/limits.ts';
import { ask } from '../src/telemetry/query/ask.ts';
import { spanRow } from '../src/telemetry/row.fixture.ts';
import { createSink } from '../src/telemetry/store/sink.ts';
import { openStore, type TelemetryStore } from '../src/telemetry/store/store.ts';
import { noSmallDisk, SmallDisk } from './harness/small-disk.ts';
import { until } from './harness/until.ts';

const open = (directory: string): Promise<TelemetryStore> =>
  openStore(directory, { clock: createClock(), retention: { ms: 3_600_000, bytes: 1024 ** 3 } });

async function spansIn(store: TelemetryStore): Promise<number> {
  const { rows } = await ask(store, { sql: 'SELECT count(*) FROM spans' });
  return Number(rows[0]?.[0]);
}

/** What a process said when it was killed: after it had stored some rows, and amid others. */
async function killedTaker(directory: string): Promise<{ taken: number; stored: number }> {
  const main = join(import.meta.dirname, 'harness', 'telemetry-taker.ts');
  const taker = spawn(process.execPath, [main, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(taker, 'exit');
  let said = { taken: 0, stored: 0 };
  for await (const line of createInterface({ input: taker.stdout })) {
    const [taken = 0, stored = 0] = line.split(' ').map(Number);
    said = { taken, stored };
    if (stored > 0 && taken > stored) taker.kill('SIGKILL');
  }
  await ended;
  return said;
}

// proves: telemetry.killed
test('a killed process loses unstored rows, and the next one reports how many', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-killed-'));
  const said = await killedTaker(directory);
  const store = await open(directory);
  const sink = await createSink(store, { run: 'after' });
  const { lost } = sink.status();
  const kept = await spansIn(store);
  expect(kept).toBeGreaterThanOrEqual(said.stored);
  // Between its last word and its death it may have taken some more.
  expect(kept + lost).toBeGreaterThanOrEqual(said.taken);
  expect(lost).toBeLessThanOrEqual(telemetryLimits.telemetryQueueRowsMax);
  expect((kept + lost) % 400).toBe(0);
  await sink.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

const title = noSmallDisk === null ? 'a small disk' : `a small disk (left out: ${noSmallDisk})`;

describe.skipIf(noSmallDisk !== null)(title, () => {
  // proves: telemetry.disk-full
  test('that is full keeps rows waiting, is reported, and stores them when there is room', async () => {
    await using disk = new SmallDisk(32 * 1024 * 1024);
    const store = await open(join(disk.path, 'telemetry'));
    const sink = await createSink(store, { run: 'small' });
    const spans = Array.from({ length: 2_000 }, (_, at) =>
      spanRow({ spanId: String(at).padStart(16, '0'), attributes: `{"n":${Math.sin(at)}}` }),
    );
    sink.take({ spans });
    await sink.flush();
    disk.fill(64 * 1024);
    sink.take({ spans });
    await until('it is told', () => sink.status().trouble?.includes('No space left') ?? false);
    const full = Array.from({ length: telemetryLimits.telemetryQueueRowsMax }, () => spanRow());
    expect(sink.take({ spans: full })).toEqual({ refused: spans.length });
    expect(sink.status().refused['disk-full'].spans).toBe(spans.length);
    disk.free();
    await sink.flush();
    expect(sink.status()).toMatchObject({ trouble: null, waiting: 0, lost: 0 });
    expect(await spansIn(store)).toBe(sink.status().stored.spans);
    expect(sink.status().stored.spans).toBe(spans.length + full.length);
    await sink.close();
    await store.close();
  });
});
