import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { ask } from '../query/ask.ts';
import { spanRow } from '../row.fixture.ts';
import { isFinished, overdue, type SegmentSize } from './retention.ts';
import { segmentAt } from './segment.ts';
import { openTestStore, reopened, type TestStore, testRetention } from './store.fixture.ts';
import { openStore } from './store.ts';

/** A clock that tests set. */
const clock = {
  at: 1_000,
  now: (): number => clock.at,
  keepAfter: () => undefined,
  aheadMs: () => 0,
};

async function spanCount({ store }: Pick<TestStore, 'store'>): Promise<unknown> {
  return (await ask(store, { sql: 'SELECT count(*) FROM spans' })).rows[0]?.[0];
}

const manySpans = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    spanRow({ spanId: String(at * 7_919).padStart(16, '0'), attributes: `{"n":${Math.sin(at)}}` }),
  );

test('rows expire by the time of their arrival, not by the time that they report', async () => {
  const retention = { ms: 16_000, bytes: testRetention.bytes };
  const scene = await openTestStore({ clock, retention });
  await scene.store.write({ spans: [spanRow({ startNs: 0n }), spanRow({ startNs: 2n ** 62n })] });
  clock.at += 1_000;
  await scene.store.tidy();
  await scene.store.write({ spans: [spanRow()] });
  expect(scene.store.status().segments).toBe(2);
  clock.at += 15_000;
  await scene.store.tidy();
  expect(await spanCount(scene)).toBe(3);
  clock.at += 1_001;
  await scene.store.tidy();
  expect(await spanCount(scene)).toBe(1);
  await scene.remove();
});

// proves: telemetry.kept
test('the directory stays within its size limit however much is written', async () => {
  const bytes = 3 * 1024 * 1024;
  const scene = await openTestStore({ retention: { ms: testRetention.ms, bytes } });
  const spans = manySpans(telemetryLimits.telemetryRowGroupRows);
  const sizes: number[] = [];
  for (let round = 0; round < 7; round++) {
    await scene.store.write({ spans });
    await scene.store.tidy();
    sizes.push(sizeOf(join(scene.directory, 'segments')));
  }
  // Besides what is kept: the segment that is being written.
  expect(Math.max(...sizes)).toBeLessThan(bytes + bytes / 2);
  expect(await spanCount(scene)).toBeLessThan(7 * spans.length);
  expect(await spanCount(scene)).toBeGreaterThan(0);
  await scene.remove();
});

function sizeOf(directory: string): number {
  return readdirSync(directory).reduce(
    (sum, name) => sum + statSync(join(directory, name)).size,
    0,
  );
}

test.each([
  [[1, 1, 1], 3, 0, []],
  [[1, 1, 1], 2, 0, [0]],
  [[5, 1, 1], 3, 0, [0]],
  [[1, 5, 1], 1, 0, [0, 1]],
  [[9], 1, 0, []],
  [[1, 1, 1], 9, 11, []],
  [[1, 1, 1], 9, 12, [0]],
  [[1, 1, 1], 9, 99, [0, 1]],
  [[], 1, 0, []],
])(
  'of segments %j with %i bytes kept at %i, retention removes %j',
  (sizes, bytes, nowMs, expected) => {
    const segments: SegmentSize[] = sizes.map((size, number) => ({
      segment: { ...segmentAt('/', number), openedMs: number },
      bytes: size,
    }));
    const gone = overdue(segments, { ms: 10, bytes }, nowMs);
    expect(gone.map(({ segment }) => segment.number)).toEqual(expected);
  },
);

test.each([
  ['garbage', (file: string) => writeFileSync(file, 'no database at all'.repeat(1_000))],
  ['nothing', (file: string) => writeFileSync(file, '')],
  ['a part of it', (file: string) => writeFileSync(file, readTruncated(file))],
])(
  'a segment with %s in it is quarantined and reported, and the store continues',
  async (_, damage) => {
    const scene = await openTestStore({ clock, retention: { ms: 16_000, bytes: 1e9 } });
    await scene.store.write({ spans: [spanRow()] });
    clock.at += 2_000;
    await scene.store.tidy();
    await scene.store.write({ spans: [spanRow()] });
    const again = await reopened(scene, () =>
      damage(segmentAt(join(scene.directory, 'segments'), 1).file),
    );
    expect(await spanCount(again)).toBe(1);
    const [aside] = again.store.status().setAside;
    // Not where DuckDB reaches.
    expect(aside?.file).toBe(join(scene.directory, 'unreadable', 'segment-000001.duckdb'));
    expect(existsSync(aside?.file ?? '')).toBe(true);
    await again.store.write({ spans: [spanRow()] });
    expect(await spanCount(again)).toBe(2);
    await again.remove();
  },
);

function readTruncated(file: string): Buffer {
  return Buffer.alloc(statSync(file).size / 2, 1);
}

test('a segment of a newer version is quarantined and reported', async () => {
  const scene = await openTestStore();
  await scene.store.write({ spans: [spanRow()] });
  const connection = await scene.store.connect();
  await connection.run('UPDATE segment_000001.main.about SET version = 99');
  connection.closeSync();
  const again = await reopened(scene);
  expect(again.store.status().setAside[0]?.reason).toContain('99');
  expect(await spanCount(again)).toBe(0);
  await again.remove();
});

test('written rows are there after the store is reopened', async () => {
  const scene = await openTestStore();
  await scene.store.write({ spans: [spanRow(), spanRow()] });
  const again = await reopened(scene);
  await again.store.write({ spans: [spanRow()] });
  expect(await spanCount(again)).toBe(3);
  expect(again.store.status()).toMatchObject({ segments: 1, setAside: [] });
  await again.remove();
});

test('a directory is used by one store at a time', async () => {
  const scene = await openTestStore();
  const second = await openStore(scene.directory, { clock, retention: testRetention }).catch(
    (error) => error,
  );
  expect(isFault(second, 'DIRECTORY_IN_USE')).toBe(true);
  await scene.remove();
});

test('large batches go to disk at once, smaller ones through the log', async () => {
  const scene = await openTestStore();
  const log = () => statSync(`${segmentAt(join(scene.directory, 'segments'), 1).file}.wal`).size;
  await scene.store.write({ spans: [spanRow()] });
  const before = log();
  await scene.store.write({ spans: manySpans(telemetryLimits.telemetryRowGroupRows) });
  const large = log() - before;
  await scene.store.write({ spans: manySpans(telemetryLimits.telemetryRowGroupRows / 2) });
  expect(log() - before - large).toBeGreaterThan(10 * large);
  await scene.remove();
});

describe('after the clock was ahead for a while', () => {
  const kept = { ms: 1_000, bytes: 1_000 };
  const openedAt = (...times: readonly number[]): SegmentSize[] =>
    times.map((openedMs, index) => ({
      segment: { number: index + 1, name: `s${index}`, file: `f${index}`, openedMs },
      bytes: 1,
    }));

  test('a segment from that time is no longer written to', () => {
    const [ahead, fine] = openedAt(5_000_001, 5_000_000);
    expect(isFinished(ahead, kept, 5_000_000)).toBe(true);
    expect(isFinished(fine, kept, 5_000_000)).toBe(false);
  });

  test('rows from that time expire together with others that arrived with them', () => {
    const segments = openedAt(100, 9_000_000, 9_500_000, 200);
    expect(overdue(segments, kept, 1_200)).toHaveLength(0);
    expect(overdue(segments, kept, 1_201)).toEqual(segments.slice(0, 3));
  });
});
