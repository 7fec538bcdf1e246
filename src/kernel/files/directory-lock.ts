import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fault } from '../fault.ts';
import { tryOr } from '../try-or.ts';
import { makePrivateDirectory, writePrivateFile } from './private-file.ts';
import { openSqlite } from './sqlite.ts';

export type LockHolder = 'daemon' | 'keeper' | 'router' | 'telemetry';

const patienceMs = 500;

/** A lock whose holder forgot it must not be given up by the garbage collector. */
const held = new Set<DatabaseSync>();

export interface DirectoryLock {
  release(): void;
}

/**
 * One daemon, keeper, router and store of telemetry per directory. The lock is an operating-system
 * lock that SQLite takes on a file: the kernel drops it when the process dies, however it dies, so
 * there is no such thing as a stale one. The pid file only tells people who it is.
 */
export function lockDirectory(directory: string, holder: LockHolder): DirectoryLock {
  makePrivateDirectory(directory);
  keepOutOfGit(directory);
  // Of two that come at the same moment one must win: without patience each trips over the other.
  const database = openSqlite(join(directory, `${holder}.lock`), { timeout: patienceMs });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw refusal(directory, holder, error);
  }
  held.add(database);
  writePrivateFile(pidFile(directory, holder), `${process.pid}\n`);
  return { release: () => release(database) };
}

/** Keys and tokens lie here: nobody must commit them, whatever their own .gitignore says. */
function keepOutOfGit(directory: string): void {
  const path = join(directory, '.gitignore');
  if (!existsSync(path)) writePrivateFile(path, '*\n', { flush: false });
}

function release(database: DatabaseSync): void {
  held.delete(database);
  if (database.isOpen) database.close();
}

function refusal(directory: string, holder: LockHolder, error: unknown): unknown {
  // Only "busy" means that somebody else is there; a full or read-only disk is another matter.
  const busy = 5;
  if ((error as { errcode?: number }).errcode !== busy) return error;
  return fault('DIRECTORY_IN_USE', { directory, holder, pid: readPid(directory, holder) }, error);
}

/** Who held the lock last; says nothing about whether that process is still there. */
export function readPid(directory: string, holder: LockHolder): number {
  return tryOr(() => Number.parseInt(readFileSync(pidFile(directory, holder), 'utf8'), 10), 0);
}

function pidFile(directory: string, holder: LockHolder): string {
  return join(directory, `${holder}.pid`);
}
