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
  ['a whole log', 'a\nb\n', { lines: 2 }, 2, false],
  ['the last lines of a log', 'a\nb\n', { lines: 1 }, 1, true],
  ['the new lines of a log', 'a\nb\n', { lines: 1, after: 2 }, 1, false],
  ['no incomplete line of a log', 'a', { lines: 1 }, 0, false],
  ['no line of a log when none is requested', 'a\nb\n', { lines: 0, after: 4 }, 0, false],
  ['no more of a log than fits', `${'x'.repeat(mebibyte)}\na\n`, { lines: 9 }, 1, true],
])('reads %s, and says whether earlier lines were left out', (_, text, wanted, count, isCut) => {
  const path = join(root, 'service.log');
  writeFileSync(path, text);
  const part = readLogPart(path, wanted);
  expect(part.lines).toHaveLength(count);
  expect(part.isCut).toBe(isCut);
});
