import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, isFault } from '../../kernel/index.ts';
import { git, runGit } from './git.ts';

/** A version with a patch on it, in git's store only: nothing of it is checked out. */
export interface PatchedVersion {
  /** The id of its tree. */
  readonly tree: string;
  /** What is not the same as in the base; a file that moved is there twice. */
  readonly files: readonly string[];
}

export interface PatchRequest {
  readonly patch: string;
  readonly base: string;
}

/** In one go: starting a program costs us more than any of these takes. */
const script = `set -e
git read-tree "$1" </dev/null
git apply --cached --whitespace=nowarn -
git write-tree </dev/null
exec git diff-index --cached --raw --no-renames -z "$1" </dev/null`;

/**
 * Applies a patch in an index of its own, all or nothing: no file is written, so that there is
 * nothing to take back when it does not apply, or leads where it must not.
 */
export async function patchVersion(top: string, request: PatchRequest): Promise<PatchedVersion> {
  const index = join(tmpdir(), `surety-index-${randomUUID()}`);
  const words = ['-c', script, 'patch', request.base];
  const more = { GIT_INDEX_FILE: index };
  try {
    const output = await runGit('/bin/sh', top, words, { input: request.patch, more }).catch(
      (error) => explain(top, request, error),
    );
    const end = output.indexOf('\n');
    return { tree: output.slice(0, end), files: changedFiles(output.slice(end + 1)) };
  } finally {
    rmSync(index, { force: true });
  }
}

/** git tells the same way of what is no patch and of what does not fit; we don't. */
async function explain(top: string, { patch, base }: PatchRequest, error: unknown): Promise<never> {
  await git(top, ['apply', '--numstat', '-z', '-'], patch).catch((unreadable) => {
    throw fault('CHANGE_INVALID', { reason: reasonOf(unreadable) }, unreadable);
  });
  const reason = reasonOf(error);
  throw fault('CHANGE_DOES_NOT_APPLY', { base: base.slice(0, 12), reason }, error);
}

/** `:100644 120000 <id> <id> T`, then the name: a link could lead a service out of its tree. */
function changedFiles(raw: string): string[] {
  const words = raw.split('\0').filter((word) => word !== '');
  const files = words.filter((_, index) => index % 2 === 1);
  if (files.length === 0) throw fault('CHANGE_INVALID', { reason: 'it changes no file' });
  const modes = words.filter((_, index) => index % 2 === 0).map((line) => line.split(' ')[1]);
  if (modes.includes('120000')) {
    throw fault('CHANGE_INVALID', { reason: 'it makes a symbolic link' });
  }
  if (modes.includes('160000')) throw fault('CHANGE_INVALID', { reason: 'it makes a submodule' });
  return files;
}

function reasonOf(error: unknown): string {
  return isFault(error, 'GIT_FAILED') ? String(error.values.reason) : String(error);
}
