import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Instant, tryOr } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';

/** Where versions are checked out, and where git keeps what it knows of them; both by commit. */
export interface VersionPlaces {
  readonly directory: string;
  readonly worktrees: string;
}

/** Versions are named by their commit, all other trees by what they were opened for. */
export const isVersion = (name: string): boolean => /^[0-9a-f]{40,64}$/.test(name);

/** Somebody is going to run it: the time of this file is when that was last so. */
export function markOpened(tree: string, worktrees: string): void {
  const known = join(worktrees, basename(tree));
  // What git knows of it may have been removed; the tree is as good as before.
  if (existsSync(known)) writeFileSync(join(known, openedFile), '');
}

const openedFile = 'surety-opened';

/**
 * Removes versions that are not running, were not opened for long, and are not among the latest. A
 * concurrent open has either marked its version before, or finds it gone and checks it out again.
 */
export async function removeOldVersions(
  places: VersionPlaces,
  { inUse, now }: { readonly inUse: ReadonlySet<string>; readonly now: Instant },
): Promise<void> {
  const idle = tryOr(() => readdirSync(places.directory), [])
    .filter((name) => isVersion(name) && !inUse.has(name))
    .map((name) => ({ name, openedAt: openedAt(name, places) }))
    .sort((one, other) => other.openedAt - one.openedAt)
    .slice(laneLimits.idleVersionTreesMax)
    .filter((version) => now - version.openedAt > laneLimits.idleVersionTreeMsMin);
  for (const { name } of idle) await remove(name, places);
}

/** Removed atomically for other processes by a rename; deleting the files may take a while. */
async function remove(name: string, { directory, worktrees }: VersionPlaces): Promise<void> {
  const aside = mkdtempSync(join(directory, 'old-'));
  renameSync(join(directory, name), join(aside, name));
  rmSync(join(worktrees, name), { recursive: true, force: true });
  await rm(aside, { recursive: true, force: true });
}

function openedAt(name: string, { directory, worktrees }: VersionPlaces): Instant {
  const places = [join(worktrees, name, openedFile), join(directory, name)];
  const times = places.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...times);
}
