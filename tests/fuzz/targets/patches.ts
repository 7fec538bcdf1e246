import { globSync, readFileSync } from 'node:fs';
import {
  findBlocks,
  hunkPositions,
  parseDiff,
  removeHunk,
} from '../../../src/lanes/change/unified-diff.ts';
import type { FuzzTarget } from '../fuzzing.ts';
import { mutate } from '../mutate.ts';

const words = [
  ...[
    'diff --git a/a b/a\n',
    '--- a/a\n',
    '+++ b/a\n',
    '@@ -1,2 +1,3 @@\n',
    '@@ -0,0 +1 @@',
    '\r\n',
  ],
  ...['--- /dev/null\n', 'rename from a\n', 'rename to b\n', 'new file mode 120000\n', '"b/\\157"'],
  ...['Binary files a/a and b/a differ\n', '\\ No newline at end of file\n', 'GIT binary patch\n'],
  ...['index 1234567..89abcde 100644\n', 'old mode 100644\n', '+', '-', ' ', '../../.git/config'],
];

/** Patches as git and agents write them, read and taken apart. */
export function patchesTarget(): FuzzTarget {
  const seeds = globSync('examples/*/changes/*.patch')
    .map((file) => readFileSync(file))
    .filter(({ length }) => length < 4_000);
  return {
    seeds,
    make: (random, base, others) => mutate(random, base, { words, others }),
    execute(input) {
      const diff = input.toString();
      const files = parseDiff(diff);
      const hunks = hunkPositions(diff);
      const left = hunks.slice(0, 3).map((hunk) => removeHunk(diff, hunk));
      checkRemoved(hunks.length, left);
      return [files.length, hunks.length, findBlocks(diff).length, files.map(shape)].join();
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A diff without one of its hunks has one hunk less. */
function checkRemoved(hunks: number, left: readonly (string | null)[]): void {
  for (const diff of left) {
    const count = diff === null ? 0 : hunkPositions(diff).length;
    if (count > hunks - 1) throw new Error(`${count} of ${hunks} hunks are left`);
  }
}

const shape = ({ from, to }: { from: string; to: string }): string =>
  `${from === ''}${to === ''}${from === to}`;
