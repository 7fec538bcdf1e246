import { type Actor, isFault } from '../../kernel/index.ts';
import { readRow } from '../../ledger/index.ts';
import type { VersionTree } from '../change/trees.ts';
import type { BaselineDeps } from './baseline-deps.ts';
import { type VersionRow, versionKey } from './services.ts';

type Deps = Pick<BaselineDeps, 'ledger' | 'root' | 'trees'>;

/** The commit that was promoted last, if one was. */
export async function liveCommit({ ledger }: Pick<Deps, 'ledger'>): Promise<string | undefined> {
  return (await readRow<VersionRow>(ledger, versionKey))?.commit;
}

export async function moveTo(deps: Deps, commit: string, actor: Actor): Promise<void> {
  if (commit === '' || (await liveCommit(deps)) === commit) return;
  await deps.ledger.append({ kind: 'baseline-moved', actor, body: { commit } });
}

/**
 * What is checked out, or what was promoted on top of it; without a repository, the directory
 * itself.
 */
export async function newestTree(deps: Deps): Promise<VersionTree> {
  const { trees, root } = deps;
  const commit = await newestCommit(deps);
  return commit === '' ? { commit, root, top: root } : trees.open(commit);
}

export async function newestCommit(deps: Deps): Promise<string> {
  const { trees } = deps;
  try {
    const head = await trees.head();
    const promoted = await liveCommit(deps);
    const isAhead = promoted !== undefined && (await trees.isAncestor(head, promoted));
    return isAhead ? promoted : head;
  } catch (error) {
    if (!isFault(error, 'GIT_FAILED')) throw error;
    return '';
  }
}
