import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBlocks, hunkPositions, parseDiff, removeHunk } from './unified-diff.ts';

let root: string;
const git = (words: string[], input = '') =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', input });
const lines = Array.from({ length: 60 }, (_, n) => `line ${n + 1}`);
const text = (more: Record<number, string> = {}) =>
  lines.map((line, n) => more[n + 1] ?? line).join('\n');

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-hunks-'));
  git(['init', '--quiet']);
  writeFileSync(join(root, 'a'), text());
  writeFileSync(join(root, 'b'), text());
  git(['add', '--all']);
});
afterAll(() => rmSync(root, { recursive: true }));

describe('a patch', () => {
  test('still applies without any one of its hunks, and keeps all other changes', () => {
    const changes: Record<number, string> = { 5: 'five\nfive and a half', 30: 'thirty', 55: '' };
    writeFileSync(join(root, 'a'), text(changes));
    writeFileSync(join(root, 'b'), text({ 1: 'one' }));
    writeFileSync(join(root, 'c'), 'new\n');
    git(['add', '--intent-to-add', 'c']);
    const patch = git(['diff']);
    const hunks = hunkPositions(patch);
    expect(hunks.map(({ file, line }) => [file, line])).toEqual([
      ['a', 2],
      ['a', 28],
      ['a', 53],
      ['b', 1],
      ['c', 1],
    ]);
    for (const [index, line] of [5, 30, 55].entries()) {
      git(['checkout', '--quiet', '--', 'a', 'b']);
      rmSync(join(root, 'c'), { force: true });
      const left = removeHunk(patch, hunks[index] as (typeof hunks)[number]);
      git(['apply', '--whitespace=nowarn', '-'], String(left));
      const { [line]: _, ...rest } = changes;
      expect(readFileSync(join(root, 'a'), 'utf8')).toBe(text(rest));
    }
  });

  test('ignores that a file has no newline at its end, but still applies to such a file', () => {
    git(['checkout', '--quiet', '--', 'a', 'b']);
    writeFileSync(join(root, 'a'), `${text({ 1: 'one', 60: 'sixty' })}\nand one more`);
    const patch = git(['diff', '--', 'a']);
    expect(patch.match(/\\ No newline/g)).toHaveLength(2);
    const [file] = parseDiff(patch);
    expect(file).toMatchObject({
      removed: ['line 1', 'line 60'],
      added: ['one', 'sixty', 'and one more'],
    });
    const end = { line: 60, changed: ['-line 60', '+sixty', '+and one more'] };
    expect(findBlocks(patch)).toMatchObject([{ changed: ['-line 1', '+one'] }, end]);
    const left = removeHunk(patch, hunkPositions(patch)[0] as never);
    git(['checkout', '--quiet', '--', 'a']);
    git(['apply', '-'], String(left));
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe(`${text({ 60: 'sixty' })}\nand one more`);
  });

  test('of one hunk is empty without it', () => {
    const one = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n';
    expect(removeHunk(one, hunkPositions(one)[0] as never)).toBeNull();
    expect(hunkPositions('diff --git a/x b/x\nBinary files differ\n')).toEqual([]);
  });
});
