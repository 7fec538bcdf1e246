import { access, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';

const foldersSearched = 6;

/** Whether a path names a file from the working directory of a process, or from a folder above. */
export async function isOnDisk(pid: number, file: string): Promise<boolean> {
  if (isAbsolute(file)) return exists(file);
  let folder = await readlink(`/proc/${pid}/cwd`).catch(() => '/');
  for (let searched = 0; searched < foldersSearched; searched++) {
    if (await exists(join(folder, file))) return true;
    if (folder === '/') return false;
    folder = dirname(folder);
  }
  return false;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
