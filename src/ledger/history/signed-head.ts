import { existsSync, readFileSync } from 'node:fs';
import { fault, replacePrivateFile, tryOr } from '../../kernel/index.ts';
import { type Checkpoint, isCheckpoint } from '../checkpoint.ts';

/**
 * The last checkpoint that a daemon signed, kept outside the database: whoever exchanges the
 * database for another one does not exchange this.
 */
export interface SignedHead {
  /** Undefined before the first checkpoint. Throws LEDGER_DIVERGED if it can't be read. */
  read(): Checkpoint | undefined;
  /** Resolves when it is durable. A crash leaves the old one or the new one. */
  write(checkpoint: Checkpoint): Promise<void>;
}

export function signedHeadFile(path: string): SignedHead {
  return {
    read: () => (existsSync(path) ? parse(path) : undefined),
    write: (checkpoint) => replacePrivateFile(path, `${JSON.stringify(checkpoint)}\n`),
  };
}

function parse(path: string): Checkpoint {
  const found = tryOr(() => JSON.parse(readFileSync(path, 'utf8')) as Checkpoint, undefined);
  if (found && isCheckpoint(found)) return found;
  throw fault('LEDGER_DIVERGED', { reason: `${path} is damaged, so nothing can be compared` });
}
