import { existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Identity } from './postgres-identity.ts';
import { type Binaries, probe } from './postgres-probe.ts';

/** Where packages put the server's programs: Debian, Red Hat, Homebrew, Postgres.app. */
const installations = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
];

/** The first installed PostgreSQL that the server's user can run. */
export async function findSystem(identity: Identity | undefined): Promise<Binaries | undefined> {
  for (const directory of systemDirectories()) {
    const found = await probe({ source: 'system', directory, env: {} }, identity).catch(() => null);
    if (found) return found;
  }
  return undefined;
}

export const systemPlaces: string = ['PATH', ...installations].join(', ');

function systemDirectories(): string[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const packaged = installations.flatMap((pattern) => globSync(pattern).sort(newestFirst));
  const found = [...onPath, ...packaged].filter((place) => existsSync(join(place, 'initdb')));
  // A link in /usr/local/bin names an installation that we also find by its own path.
  return [...new Set(found.map((place) => dirname(realpathSync(join(place, 'initdb')))))];
}

function newestFirst(left: string, right: string): number {
  return right.localeCompare(left, 'en', { numeric: true });
}
