import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fault } from '../../../kernel/index.ts';

/** Where packages put them: Debian, Red Hat, Homebrew. */
const installations = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/libpq/bin',
  '/opt/homebrew/opt/postgresql*/bin',
];

/** The folder of pg_dump and pg_restore; the newest, as an older one refuses a newer server. */
export function findPrograms(
  path: string = process.env.PATH ?? '',
  patterns: readonly string[] = installations,
): string {
  const packaged = patterns.flatMap((pattern) => globSync(pattern).sort(newestFirst));
  const places = [...packaged, ...path.split(delimiter).filter(Boolean)];
  const found = places.find(
    (place) => hasProgram(place, 'pg_dump') && hasProgram(place, 'pg_restore'),
  );
  if (found) return found;
  throw fault('PROGRAM_MISSING', { program: 'pg_dump', package: 'postgresql-client' });
}

function hasProgram(directory: string, name: string): boolean {
  try {
    accessSync(join(directory, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true });
}
