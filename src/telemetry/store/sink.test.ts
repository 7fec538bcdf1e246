import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { telemetryLimits } from '../limits.ts';
import { ask } from '../query/ask.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { createSink } from './sink.ts';
import { openTestStore, type TestStore } from './store.fixture.ts';
import type { TelemetryStore } from './store.ts';

let scene: TestStore;
beforeAll(async () => {
  scene = await openTestStore();
});
afterAll(() => scene.remove());

test('a sink accepts rows at once, stores them together, and counts them', async () => {
  const sink = await createSink(scene.store, { run: 'one' });
  expect(sink.take({ spans: [spanRow()], logs: [logRow(), logRow()] })).toEqual({ refused: 0 });
  expect(sink.status().waiting).toBe(3);
  await sink.flush();
  expect(sink.status()).toMatchObject({ stored: { spans: 1, logs: 2 }, waiting: 0, trouble: null });
  const { rows } = await ask(scene.store, { sql: 'SELECT count(*) FROM logs' });
  expect(rows).toEqual([[2]]);
  await sink.close();
});

test('a sink reports rows that the previous process accepted and did not store', async () => {
  const before = await createSink(scene.store, { run: 'before' });
  before.take({ logs: [logRow()] });
  await before.flush();
  before.take({ logs: [logRow(), logRow()] });
  const after = await createSink(scene.store, { run: 'after' });
  expect(after.status().lost).toBe(2);
  // And of all the times that it ended so.
  after.take({ logs: [logRow()] });
  const later = await createSink(scene.store, { run: 'later' });
  expect(later.status().lost).toBe(3);
  for (const sink of [before, after, later]) await sink.close();
});

test('a sink reports no loss after a clean shutdown', async () => {
  const own = await openTestStore();
  const before = await createSink(own.store, { run: 'before' });
  before.take({ logs: [logRow()] });
  await before.close();
  const after = await createSink(own.store, { run: 'after' });
  expect(after.status().lost).toBe(0);
  await after.close();
  await own.remove();
});

/** The store with another way to write. */
const writing = (write: TelemetryStore['write']): TelemetryStore =>
  Object.assign(Object.create(scene.store), { write });

test('a batch without enough memory is retried after memory was freed', async () => {
  const asked: string[] = [];
  const store = writing(async (rows, receipt) => {
    if (asked.length === 0) throw new Error('Out of Memory Error: failed to pin block');
    await scene.store.write(rows, receipt);
  });
  Object.assign(store, {
    settled: async () => 0,
    tidy: async () => undefined,
    directory: scene.directory,
  });
  const sink = await createSink(store, { run: 'tight', relieve: () => asked.push('memory') });
  sink.take({ logs: [logRow()] });
  await sink.flush();
  expect(asked).toEqual(['memory']);
  expect(sink.status()).toMatchObject({ stored: { logs: 1 }, trouble: null });
  await sink.close();
});

test('a batch that can never be written is refused and counted, and the next one is stored', async () => {
  let isBroken = true;
  const store = writing(async (rows, receipt) => {
    if (isBroken) throw new Error('Conversion Error');
    await scene.store.write(rows, receipt);
  });
  Object.assign(store, {
    settled: async () => 0,
    tidy: async () => undefined,
    directory: scene.directory,
  });
  const sink = await createSink(store, { run: 'broken' });
  sink.take({ logs: [logRow()] });
  await sink.flush();
  isBroken = false;
  sink.take({ logs: [logRow(), logRow()] });
  await sink.flush();
  expect(sink.status()).toMatchObject({
    stored: { logs: 2 },
    refused: { unwritable: { logs: 1 } },
  });
  await sink.close();
});

test('rows that arrive during maintenance are stored without waiting for more', async () => {
  const tidying = Promise.withResolvers<void>();
  const store = writing((rows, receipt) => scene.store.write(rows, receipt));
  const parts = { settled: async () => 0, directory: scene.directory };
  Object.assign(store, { ...parts, tidy: () => tidying.promise });
  const sink = await createSink(store, { run: 'tidied' });
  sink.take({ logs: [logRow()] });
  await until('the first is stored', () => sink.status().stored.logs === 1);
  sink.take({ logs: [logRow()] });
  await delay(telemetryLimits.telemetryFlushMsMax + 200);
  expect(sink.status().waiting).toBe(1);
  tidying.resolve();
  await until('the second is stored', () => sink.status().stored.logs === 2);
  await sink.close();
});

test('rows beyond the limit are refused and counted per table', async () => {
  const store = writing(() => new Promise(() => undefined));
  Object.assign(store, { settled: async () => 0, directory: scene.directory });
  const sink = await createSink(store, { run: 'slow' });
  const spans = Array.from({ length: telemetryLimits.telemetryQueueRowsMax + 5 }, () => spanRow());
  expect(sink.take({ spans, logs: [logRow()] })).toEqual({ refused: 6 });
  expect(sink.isFull()).toBe(true);
  expect(sink.status().refused['queue-full']).toMatchObject({ spans: 5, logs: 1 });
});

test('a sink stores any text and any number', async () => {
  const sink = await createSink(scene.store, { run: 'odd' });
  const texts = ['\u0000', 'a\u0000b', '\ud800', '\udfff', '💥', `'"\\`, 'x'.repeat(1_000_000)];
  const nanoseconds = [-1n, 0n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, -(2n ** 70n)];
  const numbers = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, 0.5];
  const spans = [
    ...texts.map((text) => spanRow({ service: text, traceId: text, attributes: text })),
    ...nanoseconds.map((startNs) => spanRow({ startNs, durationNs: startNs })),
    ...numbers.map((number) => spanRow({ httpStatus: number, cpuUs: number })),
  ];
  sink.take({ spans });
  await sink.flush();
  expect(sink.status()).toMatchObject({ stored: { spans: spans.length }, trouble: null });
  await sink.close();
});
