import { existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Where packages put the server's programs: Debian, Red Hat, Homebrew, Postgres.app. */
const installations = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/** The folder of initdb and postgres; undefined if no server is installed. */
export function postgresServerPrograms(): string | undefined {
  const packaged = installations.flatMap((pattern) => globSync(pattern).sort(newestFirst));
  const places = [...packaged, ...(process.env.PATH ?? '').split(delimiter).filter(Boolean)];
  const found = places.find(
    (place) => existsSync(join(place, 'initdb')) && existsSync(join(place, 'postgres')),
  );
  return found && dirname(realpathSync(join(found, 'initdb')));
}

export function hasRedisServer(): boolean {
  const places = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return places.some((place) => existsSync(join(place, 'redis-server')));
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true });
}
