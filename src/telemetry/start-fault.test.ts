import { expect, test } from 'vitest';
import { fault } from '../kernel/index.ts';
import { startFault } from './start-fault.ts';

test.each([
  ['a file', new Error('ENOSPC: no space left on device, write')],
  ['the database', new Error('IO Error: Could not write file "a.duckdb": No space left on device')],
])('a disk without room for %s gives a fault with a remedy', (_, error) => {
  const told = startFault(error, '/data').report();
  expect(told).toMatchObject({ code: 'TELEMETRY_DISK_FULL', retryable: true });
  expect(told.message).toContain('/data');
});

test('every other error stays unchanged', () => {
  const known = fault('TELEMETRY_PORT_TAKEN', { port: 1, reason: 'it is taken' });
  expect(startFault(known, '/data')).toBe(known);
  expect(startFault(new Error('odd'), '/data').report().code).toBe('INTERNAL');
});
