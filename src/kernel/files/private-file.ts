import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fault } from '../fault.ts';

/** Written beside and renamed into place: a reader sees the old text or the new one, never half. */
export function writePrivateFile(
  path: string,
  text: string | Uint8Array,
  { flush = true } = {},
): void {
  makePrivateDirectory(dirname(path));
  const draft = `${path}.${process.pid}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * The same without blocking the event loop, and durable: after a power cut the new text is there,
 * because the directory that names it was flushed as well.
 */
export async function replacePrivateFile(path: string, text: string): Promise<void> {
  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const handle = await open(directory);
  await handle.sync().finally(() => handle.close());
}

export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** A key that others may read is not a key; say so rather than mend it behind their back. */
export function checkPrivate(path: string): void {
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw fault('FILE_NOT_PRIVATE', { path, mode: mode.toString(8).padStart(4, '0') });
}
