import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runUnitTests } from '../../examples/trading/testing/run-script.ts';
import type { KnownChange } from './corpus-changes.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const example = 'examples/trading';

export interface UnitTests {
  applies(change: KnownChange): Promise<boolean>;
  /** The application's own tests, with this change alone. */
  run(change: KnownChange): Promise<{ isGreen: boolean; output: string }>;
  close(): Promise<void>;
}

/** One copy of the example, into which each change is put and taken out again. */
export async function openUnitTests(): Promise<UnitTests> {
  const root = await mkdtemp(join(tmpdir(), 'trading-units-'));
  await cp(join(repository, example), join(root, example), { recursive: true });
  await cp(join(repository, 'package.json'), join(root, 'package.json'));
  await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
  const apply = ({ patch }: KnownChange, ...words: string[]): Promise<boolean> =>
    gitApply(root, [...words, patch]);
  return {
    applies: (change) => apply(change, '--check'),
    async run(change) {
      if (!(await apply(change))) return { isGreen: false, output: 'it cannot be applied' };
      try {
        const { exitCode, output } = await runUnitTests(join(root, example));
        return { isGreen: exitCode === 0 && /Tests.* passed/.test(output), output };
      } finally {
        await apply(change, '--reverse');
      }
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

function gitApply(root: string, words: readonly string[]): Promise<boolean> {
  // Inside of a repository, `git apply` skips paths that lie outside of it without a word.
  const env = { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: dirname(root) };
  return new Promise((resolve) => {
    execFile('git', ['apply', ...words], { cwd: root, env }, (error) => resolve(error === null));
  });
}
