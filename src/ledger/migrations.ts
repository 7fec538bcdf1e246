import { readdirSync, readFileSync } from 'node:fs';
import { fault } from '../kernel/index.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** `001-ledger.sql`, `002-….sql`, …: numbered without a gap, applied once, never edited. */
export function readMigrations(directory: URL): Migration[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const version = Number.parseInt(file, 10);
    if (version !== index + 1) throw new Error(`migration ${file} should have number ${index + 1}`);
    return { version, sql: readFileSync(new URL(file, directory), 'utf8') };
  });
}

/** Those still to be applied; a database that a newer Surety wrote is left alone. */
export function pendingMigrations(all: readonly Migration[], version: number): Migration[] {
  if (version > all.length) throw fault('LEDGER_NEWER', { found: version, known: all.length });
  return all.filter((migration) => migration.version > version);
}
