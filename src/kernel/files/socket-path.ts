import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fault } from '../fault.ts';
import { sha256 } from '../hash.ts';

export interface SocketPlace {
  readonly path: string;
  /** A directory under the system's temporary one that is there for the socket alone. */
  readonly refuge: string | null;
}

/** Who listens on a socket of its own in the state directory. */
export type SocketOwner = 'keeper' | 'router' | 'daemon' | 'telemetry';

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
  checkSocketPlace(place);
}

/**
 * Whoever may write to the directory of a socket may listen there, and would get our commands and
 * tokens. Anybody can make a directory of this name under /tmp. Node cannot ask the kernel for the
 * user at the other end, so the owner and the mode of the directory are the proof.
 */
export function checkSocketPlace({ path, refuge }: SocketPlace): void {
  const directory = dirname(path);
  const reason = whyUnsafe(directory, refuge === null);
  if (reason) throw fault('DIRECTORY_NOT_PRIVATE', { path: directory, reason });
}

export function removeSocket({ path, refuge }: SocketPlace): void {
  rmSync(path, { force: true });
  if (refuge) rmSync(refuge, { recursive: true, force: true });
}

function whyUnsafe(directory: string, isState: boolean): string | null {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat) return null;
  if (!stat.isDirectory()) return 'it is not a directory';
  // Root works in the directories of others, as in a container with a mounted one.
  const isMine = stat.uid === process.getuid?.() || (isState && process.getuid?.() === 0);
  if (!isMine) return `it belongs to user ${stat.uid}`;
  // The name of a refuge is known to all, so nobody else may even look into it.
  if ((stat.mode & (isState ? 0o022 : 0o077)) !== 0)
    return `its mode is ${(stat.mode & 0o777).toString(8)}`;
  return null;
}
