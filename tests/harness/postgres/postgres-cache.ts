import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from './postgres-command.ts';
import type { Identity } from './postgres-identity.ts';

/** Where data directories are made: root's own TMPDIR may be closed to the server's user. */
export async function scratchDirectory(identity: Identity | undefined): Promise<string> {
  return (await canEnter(tmpdir(), identity)) ? tmpdir() : '/tmp';
}

/** Kept between runs: copied binaries and freshly initialised clusters. Safe to delete. */
export async function openCache(identity: Identity | undefined): Promise<string> {
  const uid = process.getuid?.();
  const cache = join(await scratchDirectory(identity), `surety-postgres-cache-${uid}`);
  await mkdir(cache, { recursive: true });
  const entry = await lstat(cache);
  // Anybody can make a directory of this name in /tmp; we would run the binaries that they left.
  if (!entry.isDirectory() || entry.uid !== uid) {
    throw new Error(`${cache} belongs to somebody else. Remove it, or set TMPDIR.`);
  }
  // Whatever our umask says, the server's user has to get in.
  await chmod(cache, 0o755);
  return cache;
}

/** Asks as that user, since the mode bits of every parent and an ACL may each have a say. */
async function canEnter(directory: string, identity: Identity | undefined): Promise<boolean> {
  if (!identity) return true;
  return runCommand('test', ['-x', directory], identity).then(
    () => true,
    () => false,
  );
}
