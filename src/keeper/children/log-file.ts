import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateDirectory, sharedLimits } from '../../kernel/index.ts';

/**
 * A descriptor that always writes at the end, wherever that is by then. A child gets it as its own
 * stdout: a pipe through the keeper would kill it by EPIPE when the keeper dies.
 */
export function openLogFile(path: string): number {
  makePrivateDirectory(dirname(path));
  const stat = statSync(path, { throwIfNoEntry: false });
  // Opening a named pipe would block the keeper until somebody reads from it.
  if (stat && !stat.isFile()) throw new Error(`${path} is not a regular file`);
  return openSync(path, 'a', 0o600);
}

/** Tells whether it was cut. A log that cannot be cut is no reason to lose sight of its writer. */
export function trimLogFile(path: string): boolean {
  try {
    const size = statSync(path).size;
    if (size <= sharedLimits.logFileBytesMax) return false;
    trim(path, size);
    return true;
  } catch {
    return false;
  }
}

function trim(path: string, size: number): void {
  const descriptor = openSync(path, 'r+');
  try {
    keepNewerHalf(descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

const chunkBytes = 1024 * 1024;
const chunksMax = (4 * sharedLimits.logFileBytesMax) / chunkBytes;

/**
 * Moves the newer half to the front and cuts the rest off, in the same file, since the writer holds
 * it open. What the writer appends meanwhile is moved as well; only a line written between the last
 * read and the cut is lost. A writer that is faster than this copy cannot hold it up for ever.
 */
function keepNewerHalf(descriptor: number, size: number): void {
  const buffer = Buffer.alloc(chunkBytes);
  let from = startOfLine(descriptor, buffer, size - sharedLimits.logFileBytesMax / 2);
  let to = 0;
  for (let chunk = 0; chunk < chunksMax; chunk++) {
    const length = readSync(descriptor, buffer, 0, chunkBytes, from);
    if (length === 0) break;
    writeSync(descriptor, buffer, 0, length, to);
    from += length;
    to += length;
  }
  ftruncateSync(descriptor, Math.min(to, fstatSync(descriptor).size));
}

function startOfLine(descriptor: number, buffer: Buffer, position: number): number {
  const length = readSync(descriptor, buffer, 0, chunkBytes, position - 1);
  const lineEnd = buffer.subarray(0, length).indexOf('\n');
  return lineEnd < 0 ? position : position + lineEnd;
}
