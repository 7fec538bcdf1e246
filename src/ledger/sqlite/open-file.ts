import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { openSqlite } from '../../kernel/index.ts';
import { ledgerLimits } from '../limits.ts';
import { sqliteFault } from './sqlite-fault.ts';

export interface SqliteOptions {
  readonly file: string;
  readonly workspace: string;
  readonly readOnly: boolean;
  /** A reader that sees each commit; without, it sees the moment at which it was opened. */
  readonly follows?: boolean;
}

export function openFile({ file, readOnly }: SqliteOptions): DatabaseSync {
  try {
    const place = readOnly && isAtRest(file) ? atRest(file) : file;
    return openSqlite(place, { readOnly, timeout: ledgerLimits.storeAnswerMsMax });
  } catch (error) {
    throw sqliteFault(error);
  }
}

/**
 * No log beside it and no way to make one: a ledger that was closed, on a disk that is read-only.
 */
function isAtRest(file: string): boolean {
  if (existsSync(`${file}-wal`)) return false;
  try {
    accessSync(dirname(file), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Else SQLite would want to make the files that several readers of a log share. */
function atRest(file: string): URL {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}
