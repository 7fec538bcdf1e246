import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { lazy } from '../lazy.ts';

/**
 * Node 22 writes a warning to standard error when SQLite is first loaded: that it is experimental.
 * Nobody who reads it can do anything about it.
 */
const sqlite = lazy((): typeof import('node:sqlite') => {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
});

export function openSqlite(file: string | URL, options: DatabaseSyncOptions): DatabaseSync {
  return new (sqlite().DatabaseSync)(file, options);
}
