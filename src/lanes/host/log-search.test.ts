import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findLogLines } from './log-search.ts';

test("searches only the logs of the named services, and never Surety's own", () => {
  const directory = mkdtempSync(join(tmpdir(), 'surety-log-lines-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const log of ['orders', 'orders-of-another-lane', 'daemon']) {
    writeFileSync(join(directory, `${log}.log`), `${log} request-1 Bearer hunter2hunter2\nelse\n`);
  }
  const names = new Set(['orders', 'daemon', 'gone']);
  expect(findLogLines(directory, 'request-1', { linesMax: 9, names })).toEqual([
    'orders  orders request-1 [redacted bearer]',
  ]);
  expect(findLogLines(directory, '', { linesMax: 9, names })).toEqual([]);
});
