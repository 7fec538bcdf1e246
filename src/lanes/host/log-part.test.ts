import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readLogPart } from './log-part.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-log-part-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const mebibyte = 1024 * 1024;

test.each<[string, string, { lines: number; after?: number }, number, boolean]>([
  ['all of it', 'a\nb\n', { lines: 2 }, 2, false],
  ['the end of it', 'a\nb\n', { lines: 1 }, 1, true],
  ['what is new', 'a\nb\n', { lines: 1, after: 2 }, 1, false],
  ['no line that is not written whole', 'a', { lines: 1 }, 0, false],
  ['no line where nobody wants one', 'a\nb\n', { lines: 0, after: 4 }, 0, false],
  ['no more than fits', `${'x'.repeat(mebibyte)}\na\n`, { lines: 9 }, 1, true],
])('of a log, %s is read, and told whether that is all', (_, text, wanted, count, isCut) => {
  const path = join(root, 'service.log');
  writeFileSync(path, text);
  const part = readLogPart(path, wanted);
  expect(part.lines).toHaveLength(count);
  expect(part.isCut).toBe(isCut);
});
