import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { git } from './git.ts';

/** A checked-out version of the system's repository. */
export interface Tree {
  readonly commit: string;
  /** Where surety.yaml stands in this version. */
  readonly root: string;
  /** The top of the checkout. */
  readonly top: string;
}

/**
 * Versions of the system, each in a worktree of its own: what the user edits in their own checkout
 * never reaches something that runs.
 */
export class Trees {
  readonly #root: string;
  readonly #directory: string;

  constructor(root: string, directory: string) {
    this.#root = root;
    this.#directory = directory;
  }

  head(): Promise<string> {
    return git(this.#root, ['rev-parse', '--verify', 'HEAD^{commit}']);
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    const base = await git(this.#root, ['merge-base', older, newer]).catch(() => '');
    return base === older;
  }

  /**
   * Makes what is staged in a tree a version of its own. The same change on the same base is the
   * same version, however often it is made: its date is that of the base.
   */
  async commit({ top, commit }: Tree, message: string): Promise<string> {
    const tree = await git(top, ['write-tree']);
    const date = await git(top, ['show', '--no-patch', '--format=%cI', commit]);
    const made = await git(top, ['commit-tree', tree, '-p', commit, '-m', message], '', {
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    });
    // A branch keeps it from being collected, and lets people see and merge it.
    await git(this.#root, ['update-ref', 'refs/heads/surety/baseline', made]);
    return made;
  }

  diff(from: string, to: string): Promise<string> {
    return git(this.#root, ['diff', '--no-renames', '--no-ext-diff', from, to]).then(
      (text) => `${text}\n`,
    );
  }

  /** The tree of a commit, checked out once and shared by whoever runs it. */
  async open(commit: string, name: string = commit): Promise<Tree> {
    const repository = await git(this.#root, ['rev-parse', '--show-toplevel']);
    const top = join(this.#directory, name);
    if (!existsSync(top)) await this.#checkOut(repository, commit, top);
    const root = join(top, relative(repository, this.#root));
    return { commit, root, top };
  }

  async remove(name: string): Promise<void> {
    const top = join(this.#directory, name);
    if (!existsSync(top)) return;
    rmSync(top, { recursive: true, force: true });
    await git(this.#root, ['worktree', 'prune']);
  }

  /** Removes the trees of work that is over; versions (named by their commit) stay. */
  async keepOnly(names: readonly string[]): Promise<void> {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory)) {
      const isVersion = /^[0-9a-f]{40,64}$/.test(name);
      if (!isVersion && !names.includes(name)) await this.remove(name);
    }
  }

  async #checkOut(repository: string, commit: string, top: string): Promise<void> {
    mkdirSync(dirname(top), { recursive: true, mode: 0o700 });
    await git(this.#root, ['worktree', 'prune']);
    await git(this.#root, ['worktree', 'add', '--detach', '--force', top, commit]);
    linkDependencies(repository, top);
    const within = relative(repository, this.#root);
    if (within !== '') linkDependencies(this.#root, join(top, within));
  }
}

/** Installed packages are not part of a commit; a version uses those of the repository. */
function linkDependencies(from: string, to: string): void {
  const installed = join(from, 'node_modules');
  const link = join(to, 'node_modules');
  if (existsSync(installed) && !existsSync(link)) symlinkSync(installed, link);
}
