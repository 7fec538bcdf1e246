import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresServerPrograms } from '../../system/index.ts';
import type { LocalStoreRequest, ServerCommand } from './server-command.ts';

const execute = promisify(execFile);

/** Creates the data directory and the databases, if they are not there yet. */
export async function preparePostgres(request: LocalStoreRequest): Promise<ServerCommand> {
  const { urls, directory } = request;
  const programs = postgresServerPrograms();
  if (programs === undefined) throw new Error('no PostgreSQL server is installed on this machine');
  const identity = serverIdentity();
  const url = new URL(urls[0] ?? '');
  const data = join(directory, 'data');
  if (!existsSync(join(data, 'PG_VERSION'))) {
    await createCluster({ url, directory, data, programs, identity });
  }
  const names = [...new Set(urls.map((one) => databaseOf(new URL(one))))];
  for (const name of names) await createDatabase(name, { data, programs, identity, directory });
  return {
    program: join(programs, 'postgres'),
    words: [
      ...['-D', data, '-p', url.port || '5432'],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    ],
    identity,
  };
}

interface Cluster {
  readonly data: string;
  readonly directory: string;
  readonly programs: string;
  readonly identity: ServerCommand['identity'];
}

async function createCluster(cluster: Cluster & { readonly url: URL }): Promise<void> {
  const { url, directory, data, programs, identity } = cluster;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (identity) chownSync(directory, identity.uid, identity.gid);
  rmSync(data, { recursive: true, force: true });
  const password = decodeURIComponent(url.password);
  const file = join(directory, 'password');
  writeFileSync(file, `${password || 'postgres'}\n`, { mode: 0o600 });
  if (identity) chownSync(file, identity.uid, identity.gid);
  const user = decodeURIComponent(url.username) || 'postgres';
  const words = ['-D', data, '-U', user, `--pwfile=${file}`, '--encoding=UTF8', '--locale=C'];
  try {
    const access = password === '' ? '--auth=trust' : '--auth=scram-sha-256';
    await execute(join(programs, 'initdb'), [...words, access], { ...identity, cwd: '/' });
  } finally {
    rmSync(file, { force: true });
  }
}

/** Without a server: it may only be reached when everything is there. */
async function createDatabase(name: string, cluster: Cluster): Promise<void> {
  const { data, programs, identity, directory } = cluster;
  const done = join(directory, 'databases');
  const known = existsSync(done) ? readFileSync(done, 'utf8').split('\n') : ['postgres'];
  if (known.includes(name)) return;
  const child = execute(join(programs, 'postgres'), ['--single', '-D', data, 'postgres'], {
    ...identity,
    cwd: '/',
  });
  child.child.stdin?.end(`CREATE DATABASE "${name.replaceAll('"', '""')}"\n`);
  await child;
  writeFileSync(done, [...known, name].join('\n'), { mode: 0o600 });
}

function databaseOf(url: URL): string {
  return (
    decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || 'postgres'
  );
}

/** Postgres refuses to run as root. */
function serverIdentity(): ServerCommand['identity'] {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const user = ['postgres', 'nobody'].map((name) =>
    lines.find((line) => line.startsWith(`${name}:`)),
  );
  const [, , uid, gid] = user.find(Boolean)?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
