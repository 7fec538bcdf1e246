import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault } from '../fault.ts';
import { sha256 } from '../hash.ts';

export interface SocketPlace {
  readonly path: string;
  /** A directory under the system's temporary one that is there for the socket alone. */
  readonly refuge: string | null;
}

/** Who listens on a socket of its own in the state directory. */
export type SocketOwner = 'keeper' | 'router';

/** The operating system allows 104 to 108 bytes, and cuts off or refuses what is longer. */
const pathBytesMax = 100;

/**
 * In the state directory, unless that makes the name too long. Derived from the real path, so that
 * everybody comes to the same answer whichever symbolic link they took.
 */
export function socketPlace(stateDirectory: string, owner: SocketOwner): SocketPlace {
  const real = realpathSync(stateDirectory);
  const path = join(real, `${owner}.sock`);
  if (Buffer.byteLength(path) <= pathBytesMax) return { path, refuge: null };
  // One for each owner: whoever leaves first removes its own with all that is in it.
  const name = `surety-${process.getuid?.()}-${sha256(real).slice(0, 16)}-${owner}`;
  const refuge = join(tmpdir(), name);
  return { path: join(refuge, `${owner}.sock`), refuge };
}

/** For whoever listens; clients only check. */
export function makeRefuge(place: SocketPlace): void {
  if (place.refuge) mkdirSync(place.refuge, { recursive: true, mode: 0o700 });
  checkRefuge(place);
}

/**
 * Anybody can make a directory of this name under /tmp; to talk to what listens there would hand
 * them our commands.
 */
export function checkRefuge({ refuge }: SocketPlace): void {
  const reason = refuge && whyUnsafe(refuge);
  if (reason) throw fault('DIRECTORY_NOT_PRIVATE', { path: refuge, reason });
}

export function removeSocket({ path, refuge }: SocketPlace): void {
  rmSync(path, { force: true });
  if (refuge) rmSync(refuge, { recursive: true, force: true });
}

function whyUnsafe(directory: string): string | null {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat) return null;
  if (!stat.isDirectory()) return 'it is not a directory';
  if (stat.uid !== process.getuid?.()) return `it belongs to user ${stat.uid}`;
  if ((stat.mode & 0o077) !== 0) return `its mode is ${(stat.mode & 0o777).toString(8)}`;
  return null;
}
