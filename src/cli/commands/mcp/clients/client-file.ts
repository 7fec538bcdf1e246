import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createClock, fault, showInstant } from '../../../../kernel/index.ts';
import { cliLimits } from '../../../limits.ts';

/** The configuration of another program; null if there is none yet. */
export function readClientFile(path: string): string | null {
  if (!existsSync(path)) return null;
  const limit = cliLimits.clientFileBytesMax;
  const { size } = statSync(path);
  if (size <= limit) return readFileSync(path, 'utf8');
  const reason = `it has ${size} bytes, and at most ${limit} are read`;
  throw fault('CLIENT_FILE_INVALID', { path, reason });
}

/** Replaces it atomically, after a backup; returns the name of the backup. */
export function replaceClientFile(
  path: string,
  before: string | null,
  after: string,
): string | null {
  try {
    if (before === null) {
      mkdirSync(dirname(path), { recursive: true });
      put(path, after, 0o644);
      return null;
    }
    // A link stays a link: its file may be elsewhere on purpose.
    const real = realpathSync(path);
    const backup = `${real}.${showInstant(createClock().now()).replaceAll(/[:.]/g, '-')}.backup`;
    copyFileSync(real, backup);
    chmodSync(backup, 0o600);
    if (readFileSync(real, 'utf8') !== before) throw fault('CLIENT_FILE_CHANGED', { path });
    put(real, after, statSync(real).mode & 0o777);
    return backup;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith('E') !== true) throw error;
    throw fault('CLIENT_FILE_UNWRITABLE', { path, reason: message }, error);
  }
}

function put(path: string, text: string, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  try {
    writeFileSync(draft, text, { mode, flush: true });
    chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
