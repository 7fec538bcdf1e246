import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../kernel/index.ts';
import { installedIn, leadsOutside } from './manifests.ts';

export interface Install {
  readonly directory: string;
  /** Of all that says which packages are needed. */
  readonly digest: string;
  /** The change whose install it is; what its scripts made is for this change alone. */
  readonly change?: string | null;
  run(): Promise<void>;
}

/** Installed packages, by what they were made of, for every version that needs the same. */
export class InstallCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async provide({ directory, digest, change = null, run }: Install): Promise<void> {
    const ofAll = join(this.#directory, digest);
    // Hashed, too: its name must not tell a program whether it is a candidate or a control.
    const own = change === null ? ofAll : join(this.#directory, sha256(`${digest}\n${change}`));
    const kept = existsSync(ofAll) ? ofAll : own;
    // A version is checked out with a link to the packages of the user's own checkout. They may
    // be others than it needs, and an install would empty them.
    const linked = linksIn(directory);
    if (existsSync(kept)) {
      unlink(directory, linked);
      return link(kept, directory);
    }
    unlink(directory, linked);
    await run();
    this.#keep(directory, kept);
  }

  /** Moved away in full before it has its name: a crash leaves nothing that looks complete. */
  #keep(directory: string, kept: string): void {
    const half = `${kept}.part`;
    rmSync(half, { recursive: true, force: true });
    for (const path of installedIn(directory)) {
      mkdirSync(dirname(join(half, path)), { recursive: true, mode: 0o700 });
      renameSync(join(directory, path), join(half, path));
    }
    // Nothing that we know how to keep: the next version installs for itself.
    if (!existsSync(half)) return;
    renameSync(half, kept);
    link(kept, directory);
  }
}

const copying = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a'];

function linksIn(directory: string): string[] {
  return installedIn(directory).filter((path) => lstatSync(join(directory, path)).isSymbolicLink());
}

function unlink(directory: string, links: readonly string[]): void {
  for (const path of links) rmSync(join(directory, path));
}

function link(kept: string, directory: string): void {
  for (const path of installedIn(kept)) {
    const [from, to] = [join(kept, path), join(directory, path)];
    if (existsSync(to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    // Links to packages beside it only lead there from the place where they were made. Not by hard
    // links: a program of the version could write through them into what all versions share.
    if (leadsOutside(from)) execFileSync('cp', [...copying, from, to]);
    else symlinkSync(from, to);
  }
}
