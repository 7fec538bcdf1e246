import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const example = join(import.meta.dirname, '..');
const repository = join(example, '../..');

export interface ExampleCopy {
  /** The copy's `examples/trading`. */
  folder: string;
  remove(): Promise<void>;
}

/** The example in a temporary folder, with one of its changes applied to it. */
export async function copyWithChange(change: string): Promise<ExampleCopy> {
  const root = await mkdtemp(join(tmpdir(), 'trading-'));
  const folder = join(root, 'examples/trading');
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    await cp(example, folder, { recursive: true });
    await cp(join(repository, 'package.json'), join(root, 'package.json'));
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'));
    await applyChange(root, join(example, 'changes', change));
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

async function applyChange(root: string, patch: string): Promise<void> {
  // Inside a repository, `git apply` skips paths that lie outside of it without a word.
  const env = { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: dirname(root) };
  await run('git', ['apply', patch], { cwd: root, env });
}
