import { expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { logRow, spanRow } from '../row.fixture.ts';
import { Backlog } from './backlog.ts';

test('a backlog accepts a bounded number of rows and says how many did not fit', () => {
  const backlog = new Backlog();
  const rows = Array.from({ length: telemetryLimits.telemetryQueueRowsMax }, () => logRow());
  expect(backlog.add('logs', rows)).toBe(0);
  expect(backlog.isFull).toBe(true);
  expect(backlog.add('logs', [logRow(), logRow()])).toBe(2);
});

test('a backlog accepts a bounded weight of rows', () => {
  const backlog = new Backlog();
  const heavy = logRow({ text: 'x'.repeat(telemetryLimits.telemetryQueueBytesMax / 4) });
  expect(backlog.add('logs', [heavy])).toBe(0);
  expect(backlog.isFull).toBe(false);
  expect(backlog.add('logs', [heavy, heavy])).toBe(1);
});

test('a long text in any column adds to the weight of its row', () => {
  const backlog = new Backlog();
  const heavy = spanRow({ statusMessage: 'x'.repeat(telemetryLimits.telemetryQueueBytesMax / 2) });
  expect(backlog.add('spans', [heavy, spanRow()])).toBe(1);
  backlog.remove(backlog.batch());
  expect(backlog.add('spans', [spanRow()])).toBe(0);
});

test('a batch has a bounded number of rows per table, and removed rows free space', () => {
  const backlog = new Backlog();
  const rows = Array.from({ length: telemetryLimits.telemetryBatchRowsMax + 1 }, () => logRow());
  backlog.add('logs', rows);
  const batch = backlog.batch();
  expect(batch.logs).toHaveLength(telemetryLimits.telemetryBatchRowsMax);
  backlog.remove(batch);
  expect(backlog.rows).toBe(1);
  expect(backlog.batch().logs).toHaveLength(1);
});
