import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault } from '../../kernel/index.ts';
import type { ChangeSource } from '../api-schema.ts';
import { git } from './git.ts';

const diffWords = ['--binary', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];

/** Whatever it comes from, from here on a change is a patch; undefined when nothing is changed. */
export async function patchOf(
  root: string,
  base: string,
  { patch, ref, worktree }: ChangeSource,
): Promise<string | undefined> {
  const given = [patch !== undefined, ref !== undefined, worktree === true].filter(Boolean).length;
  if (given > 1) throw fault('CHANGE_INVALID', { reason: 'give one of patch, ref and worktree' });
  if (ref !== undefined) return refPatch(root, base, ref);
  return worktree ? worktreePatch(root, base) : patch;
}

/** What was done on a branch since it left the base; what the base got since is not taken back. */
async function refPatch(root: string, base: string, ref: string): Promise<string> {
  const commit = await git(root, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]).catch((error) => {
    throw fault('CHANGE_INVALID', { reason: `there is no branch or commit ${ref}` }, error);
  });
  const left = await git(root, ['merge-base', base, commit]).catch((error) => {
    throw fault('CHANGE_INVALID', { reason: `${ref} has nothing in common with it` }, error);
  });
  return whole(await git(root, ['diff', ...diffWords, left, commit, '--']), ref);
}

/** Includes untracked files and leaves out ignored ones. */
async function worktreePatch(root: string, base: string): Promise<string> {
  const index = join(tmpdir(), `surety-index-${randomUUID()}`);
  const more = { GIT_INDEX_FILE: index };
  try {
    const top = await git(root, ['rev-parse', '--show-toplevel']);
    await git(top, ['read-tree', 'HEAD'], '', more);
    await git(top, ['add', '--all'], '', more);
    const left = await git(top, ['merge-base', base, 'HEAD']);
    return whole(await git(top, ['diff', '--cached', ...diffWords, left, '--'], '', more), 'it');
  } finally {
    rmSync(index, { force: true });
  }
}

function whole(text: string, what: string): string {
  if (text !== '') return `${text}\n`;
  throw fault('CHANGE_INVALID', { reason: `${what} is the same as the running version` });
}
