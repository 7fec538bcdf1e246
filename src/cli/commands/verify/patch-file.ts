import { readFileSync } from 'node:fs';
import { fault } from '../../../kernel/index.ts';

/** The text of a patch: from a file, or from standard input for `-`. */
export function readPatch(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const reason = `${path} cannot be read: ${(error as Error).message}`;
    throw fault('USAGE', { reason, help: 'surety --help' }, error);
  }
}
