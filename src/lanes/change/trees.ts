import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fault, type Instant } from '../../kernel/index.ts';
import { CodeGraph, type MentionCache, type Version } from '../../system/index.ts';
import { git } from './git.ts';
import {
  findInstalledPackages,
  linkPackages,
  type PackageLink,
  packageLinks,
} from './linked-packages.ts';
import { isVersion, markOpened, removeOldVersions } from './old-versions.ts';
import { readVersionFiles } from './version-files.ts';

/** A checked-out version of the system's repository. */
export interface VersionTree {
  readonly commit: string;
  /** Where surety.yaml stands in this version. */
  readonly root: string;
  /** The top of the checkout. */
  readonly top: string;
  /** Packages of the user's own checkout that it may link to. */
  readonly packages?: readonly PackageLink[];
}

interface Repository {
  /** The top of the user's own checkout. */
  readonly top: string;
  /** Where git keeps what it knows of all its checkouts. */
  readonly worktrees: string;
  /** Where surety.yaml stands below the top; empty for the top itself. */
  readonly within: string;
}

const keptVersionsMax = 8;
/** Files whose mentions of other files are kept. */
const keptMentionsMax = 100_000;

/**
 * Versions of the system, each in a worktree of its own: what the user edits in their own checkout
 * never reaches something that runs.
 */
export class Trees {
  readonly #root: string;
  readonly #directory: string;
  readonly #opening = new Map<string, Promise<void>>();
  readonly #dates = new Map<string, Promise<string>>();
  readonly #versions = new Map<string, Promise<Version>>();
  readonly #mentions: MentionCache = new Map();
  #turn: Promise<void> = Promise.resolve();
  #repository: Promise<Repository> | undefined;

  constructor(root: string, directory: string) {
    this.#root = root;
    this.#directory = directory;
  }

  /** Asked once: a directory does not move into another repository while we run. */
  repository(): Promise<Repository> {
    this.#repository ??= this.#findRepository().catch((error) => {
      this.#repository = undefined;
      throw error;
    });
    return this.#repository;
  }

  head(): Promise<string> {
    return git(this.#root, ['rev-parse', '--verify', 'HEAD^{commit}']);
  }

  /** The commit that a name of the repository means. */
  resolve(name: string): Promise<string> {
    const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
    return git(this.#root, words).catch((error) => {
      throw fault('CHANGE_INVALID', { reason: `there is no version ${name}` }, error);
    });
  }

  async isAncestor(older: string, newer: string): Promise<boolean> {
    const base = await git(this.#root, ['merge-base', older, newer]).catch(() => '');
    return base === older;
  }

  /** A file of a version, named from where surety.yaml stands; null when it has none. */
  async read(version: string, file: string): Promise<string | null> {
    const { top, within } = await this.repository();
    return git(top, ['show', `${version}:${join(within, file)}`]).catch(() => null);
  }

  /** The files of a version and what they use. The last versions are kept. */
  version(name: string): Promise<Version> {
    const known = this.#versions.get(name);
    if (known) return known;
    const reading = this.#readVersion(name);
    reading.catch(() => this.#versions.delete(name));
    this.#versions.set(name, reading);
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > keptVersionsMax && oldest) this.#versions.delete(oldest);
    return reading;
  }

  async #readVersion(name: string): Promise<Version> {
    const { top } = await this.repository();
    const files = await readVersionFiles(top, name);
    if (this.#mentions.size > keptMentionsMax) this.#mentions.clear();
    return { files, graph: await CodeGraph.open(files, this.#mentions) };
  }

  /** Those files of the repository that are the system's, named from where surety.yaml stands. */
  async relativeToSystem(files: readonly string[]): Promise<string[]> {
    const { within } = await this.repository();
    const prefix = within === '' ? '' : `${within}/`;
    return files.filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length));
  }

  /**
   * Makes a tree a version of its own. The same change on the same base is the same version,
   * however often it is made: its date is that of the base.
   */
  async commit(tree: string, base: string, message: string): Promise<string> {
    const date = await this.#dateOf(base);
    return git(this.#root, ['commit-tree', tree, '-p', base, '-m', message], '', {
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    });
  }

  /** Gives the branch that keeps a version from being collected: people see and merge it. */
  async publish(commit: string): Promise<string> {
    const branch = 'surety/baseline';
    await git(this.#root, ['update-ref', `refs/heads/${branch}`, commit]);
    return branch;
  }

  diff(from: string, to: string): Promise<string> {
    return git(this.#root, ['diff', '--no-renames', '--no-ext-diff', from, to]).then(
      (text) => `${text}\n`,
    );
  }

  /** The tree of a commit, checked out once and shared by all its users. */
  async open(commit: string, name: string = commit): Promise<VersionTree> {
    const repository = await this.repository();
    const top = join(this.#directory, name);
    const opening =
      this.#opening.get(name) ??
      this.#checkOut(repository, commit, top).finally(() => this.#opening.delete(name));
    this.#opening.set(name, opening);
    await opening;
    return this.#treeAt(top, commit, repository);
  }

  /**
   * Another version beside a lane's own tree, which goes when that goes. It may run unconfined, and
   * tools read settings and packages of all folders above them: none of these is the change's.
   */
  async openBeside({ top }: VersionTree, commit: string): Promise<VersionTree> {
    const repository = await this.repository();
    const to = this.#besideOf(basename(top));
    mkdirSync(to, { recursive: true, mode: 0o700 });
    const index = { GIT_INDEX_FILE: `${to}.index` };
    await git(repository.top, ['read-tree', commit], '', index);
    await git(repository.top, ['checkout-index', '--all', `--prefix=${to}/`], '', index);
    rmSync(index.GIT_INDEX_FILE, { force: true });
    const tree = await this.#treeAt(to, commit, repository);
    linkPackages(tree);
    return tree;
  }

  async #treeAt(top: string, commit: string, repository: Repository): Promise<VersionTree> {
    const installed = await findInstalledPackages(repository.top, this.#root);
    const packages = packageLinks(installed, repository.top, top);
    return { commit, root: join(top, repository.within), top, packages };
  }

  /** The places of a tree on disk: its files, its git worktree data, and what is beside it. */
  async places(name: string): Promise<string[]> {
    const { worktrees } = await this.repository();
    const beside = [this.coverageOf(name), this.#besideOf(name)];
    return [join(this.#directory, name), join(worktrees, name), ...beside];
  }

  #besideOf(name: string): string {
    return join(dirname(this.#directory), 'callers', name);
  }

  /** Where the programs of a tree record which lines ran; beside the tree, which they may list. */
  coverageOf(name: string): string {
    return join(dirname(this.#directory), 'coverage', name);
  }

  /** The top of a checked-out tree. */
  topOf(name: string): string {
    return join(this.#directory, name);
  }

  async remove(name: string): Promise<void> {
    for (const path of await this.places(name)) await rm(path, { recursive: true, force: true });
  }

  /** Removes the trees of work that is over; versions (named by their commit) stay. */
  async keepOnly(names: readonly string[]): Promise<void> {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory)) {
      if (!isVersion(name) && !names.includes(name)) await this.remove(name);
    }
  }

  /** Removes versions that have not been of use for long; those in use stay. */
  async removeOld(inUse: ReadonlySet<string>, now: Instant): Promise<void> {
    if (!existsSync(this.#directory)) return;
    const { worktrees } = await this.repository();
    await removeOldVersions({ directory: this.#directory, worktrees }, { inUse, now });
  }

  #dateOf(commit: string): Promise<string> {
    const known =
      this.#dates.get(commit) ??
      git(this.#root, ['show', '--no-patch', '--format=%cI', commit]).catch((error) => {
        this.#dates.delete(commit);
        throw error;
      });
    this.#dates.set(commit, known);
    return known;
  }

  async #findRepository(): Promise<Repository> {
    const words = ['rev-parse', '--show-toplevel', '--git-common-dir'];
    const [top = '', common = ''] = (await git(this.#root, words)).split('\n');
    const worktrees = join(resolve(this.#root, common), 'worktrees');
    return { top, worktrees, within: relative(top, this.#root) };
  }

  /**
   * One at a time: git looks at all other checkouts when it adds one, and gives up when it finds
   * one of which only half is written. Somebody else may be at it too, so it is tried again.
   */
  #register(commit: string, to: string): Promise<void> {
    const words = ['--detach', '--force', '--no-checkout', '--lock', to, commit];
    const add = (): Promise<string> => git(this.#root, ['worktree', 'add', ...words]);
    const again = async (): Promise<void> => {
      await this.remove(basename(to));
      await add();
    };
    const done = this.#turn.then(() => add().then(() => undefined, again));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #checkOut(repository: Repository, commit: string, to: string): Promise<void> {
    const { worktrees } = repository;
    // git keeps this lock until everything is there: a crash may have left a tree half written.
    const isHalf = existsSync(join(worktrees, basename(to), 'locked'));
    if (existsSync(to) && !isHalf) return markOpened(to, worktrees);
    if (isHalf) await this.remove(basename(to));
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    await this.#register(commit, to);
    // Not by `worktree add`: this is the slow part, and it need not be done in turn.
    await git(to, ['reset', '--hard', '--quiet', '--no-recurse-submodules']);
    rmSync(join(worktrees, basename(to), 'locked'), { force: true });
    markOpened(to, worktrees);
    // Only now: an install removes links, and what it left out must not come back.
    linkPackages(await this.#treeAt(to, commit, repository));
  }
}
