import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  truncate,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freshDatabase } from './harness/postgres/fresh-database.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './harness/postgres/postgres.ts';
import { scratchDirectory } from './harness/postgres/postgres-cache.ts';
import { findEmbedded } from './harness/postgres/postgres-embedded.ts';
import { chooseIdentity } from './harness/postgres/postgres-identity.ts';
import { findSystem } from './harness/postgres/postgres-system.ts';

const isRoot = process.getuid?.() === 0;
const usualTmpdir = process.env.TMPDIR;
let scratch = '';

/** Temporary files of our own, open to every user like /tmp: the first start here is a cold one. */
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'surety-harness-test-'));
  await chmod(scratch, 0o1777);
  process.env.TMPDIR = scratch;
});

afterAll(async () => {
  if (usualTmpdir === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = usualTmpdir;
  await rm(scratch, { recursive: true, force: true });
});

/** Not every machine has one installed; the embedded one has to work everywhere. */
const installed = await findSystem(chooseIdentity());

const servers = {
  system: { source: 'system' },
  embedded: { source: 'embedded', ...(isRoot && { user: 'nobody' }) },
} satisfies Record<string, PostgresOptions>;

describe.runIf(installed)('PostgreSQL from the system', () => behaves(servers.system));
describe.runIf(isDeep || !installed)('PostgreSQL from npm', () => behaves(servers.embedded));

function behaves(options: PostgresOptions): void {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await startPostgres(options);
  });

  afterAll(async () => {
    await postgres.stop();
    expect(isAlive(postgres.pid)).toBe(false);
    expect(await leftovers()).toEqual([]);
  });

  it('runs the stated version, with durability on', async () => {
    const { server_version: version } = await row(postgres.url, 'SHOW server_version');
    expect(String(version).split(' ')[0]).toBe(postgres.version);
    expect(postgres.source).toBe(options.source);
    expect(await row(postgres.url, 'SHOW fsync')).toEqual({ fsync: 'on' });
  });

  it.runIf(isRoot)('runs as an unprivileged user and keeps its data private', async () => {
    const pidFile = await stat(join(postgres.directory, 'data', 'postmaster.pid'));
    expect(pidFile.uid).toBe(chooseIdentity(options.user)?.uid);
    expect((await stat(postgres.directory)).mode & 0o777).toBe(0o700);
  });

  it('gives every caller a database of its own', async () => {
    const urls = await Promise.all([postgres.createDatabase(), postgres.createDatabase()]);
    await Promise.all(urls.map((url) => row(url, 'CREATE TABLE own ()')));
    expect(new Set(urls).size).toBe(2);
  });

  it('creates a named database and refuses a second one of that name', async () => {
    const name = 'Ledger "1" ü';
    const url = await postgres.createDatabase(name);
    expect(await row(url, 'SELECT current_database() AS name')).toEqual({ name });
    await expect(postgres.createDatabase(name)).rejects.toThrow('already exists');
  });

  it('keeps data and port over a restart', async () => {
    const { pid } = postgres;
    await row(postgres.url, 'CREATE TABLE kept AS SELECT 7 AS value');
    await postgres.restart();
    expect(await row(postgres.url, 'SELECT value FROM kept')).toEqual({ value: 7 });
    expect(postgres.pid).not.toBe(pid);
  });

  it('keeps committed data after a kill during a busy connection', async () => {
    await row(postgres.url, 'CREATE TABLE committed AS SELECT 7 AS value');
    const busy = expect(row(postgres.url, 'SELECT pg_sleep(60)')).rejects.toThrow();
    await expect.poll(() => row(postgres.url, sleepers)).toEqual({ count: 1 });
    postgres.kill();
    await postgres.restart();
    await busy;
    expect(await row(postgres.url, 'SELECT value FROM committed')).toEqual({ value: 7 });
  });
}

it('gives a test file a database of its own on the server of the run', async () => {
  const urls = await Promise.all([freshDatabase(), freshDatabase()]);
  await Promise.all(urls.map((url) => row(url, 'CREATE TABLE own ()')));
  expect(new Set(urls).size).toBe(2);
});

it('stop works twice and after a kill, and removes only its own files from a given directory', async () => {
  const directory = await mkdtemp(join(scratch, 'elsewhere-'));
  await chmod(directory, 0o755);
  const postgres = await startPostgres({ directory });
  expect(dirname(postgres.directory)).toBe(directory);
  postgres.kill();
  postgres.kill();
  await Promise.all([postgres.stop(), postgres.stop()]);
  await postgres.stop();
  expect(isAlive(postgres.pid)).toBe(false);
  expect(await readdir(directory)).toEqual([]);
});

describe.runIf(isDeep)('a start that fails', () => {
  it('shows the end of the log and leaves nothing behind', async () => {
    const taken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(startPostgres({ port })).rejects.toThrow(/log:.*Address already in use/s);
    taken.close();
    expect(await leftovers()).toEqual([]);
  });

  it('says that the given directory does not exist', async () => {
    const directory = join(scratch, 'nowhere');
    await expect(startPostgres({ directory })).rejects.toThrow(`'${directory}/surety-postgres-`);
  });

  it('names the variable that has a wrong value', async () => {
    vi.stubEnv('SURETY_POSTGRES', 'sytsem');
    await expect(startPostgres()).rejects.toThrow('SURETY_POSTGRES is "sytsem"');
    vi.unstubAllEnvs();
  });
});

// proves: frame.own-postgres
describe.runIf(isDeep)('the server leaves nothing behind', () => {
  it('when the process that started the server is killed', async () => {
    const { script, pid, directory } = await startInScript('setInterval(() => {}, 1_000)');
    expect(isAlive(pid)).toBe(true);
    script.kill('SIGKILL');
    await gone(pid, directory);
  });

  it('when it is killed in the middle of the start', async () => {
    const script = runScript('setInterval(() => {}, 1_000)');
    await expect.poll(leftovers, { interval: 1 }).not.toEqual([]);
    script.kill('SIGKILL');
    await expect.poll(leftovers).toEqual([]);
  });

  it('when the script of an ordinary user ends without calling stop', async () => {
    const { script, pid, directory } = await startInScript('', isRoot ? nobody() : undefined);
    expect(await exitCode(script)).toBe(0);
    await gone(pid, directory);
  });

  it.runIf(process.platform === 'linux')('when the supervisor is killed', async () => {
    const postgres = await startPostgres();
    process.kill(parentOf(postgres.pid), 'SIGKILL');
    await gone(postgres.pid, postgres.directory);
    await expect(postgres.restart()).rejects.toThrow();
    await postgres.stop();
  });
});

describe.runIf(isDeep)('the cache', () => {
  it('replaces a truncated archive, also when two processes find it at once', async () => {
    const archive = await usualArchive();
    const { size } = await stat(archive);
    await truncate(archive, size / 2);
    const started = await Promise.all([startPostgres(), startPostgres()]);
    await Promise.all(started.map((postgres) => postgres.stop()));
    expect((await stat(archive)).size).toBe(size);
    expect((await readdir(cacheDirectory())).filter((name) => !name.endsWith('.tar'))).toEqual([]);
  });

  it.runIf(isRoot)('is refused when another user made it', async () => {
    await rm(cacheDirectory(), { recursive: true, force: true });
    await mkdir(cacheDirectory());
    await chown(cacheDirectory(), nobody().uid, nobody().gid);
    await expect(startPostgres()).rejects.toThrow('belongs to somebody else');
    await rm(cacheDirectory(), { recursive: true });
  });
});

describe.runIf(isRoot)('started as root, the server', () => {
  it('reports a user that does not exist', async () => {
    await expect(startPostgres({ user: 'no-such-user' })).rejects.toThrow('has no no-such-user');
  });

  it('does not use a TMPDIR that its user cannot enter', async () => {
    vi.stubEnv('TMPDIR', await mkdtemp(join(scratch, 'closed-')));
    expect(await scratchDirectory(nobody())).toBe('/tmp');
    vi.unstubAllEnvs();
    expect(await scratchDirectory(nobody())).toBe(scratch);
  });

  it('copies binaries out of an unreadable directory and adds the links that npm left out', async () => {
    const source = { native: await closedPackage(), version: '0.0.0' };
    const found = await Promise.all([1, 2].map(() => findEmbedded(nobody(), source)));
    const copy = join(cacheDirectory(), `embedded-0.0.0-${process.platform}-${process.arch}`);
    expect(found.map((binaries) => binaries.directory)).toEqual(Array(2).fill(join(copy, 'bin')));

    const lost = [join(copy, 'lib', 'postgresql', 'plpgsql.so'), await someLink(copy)];
    await Promise.all(lost.map((path) => rm(path)));
    await findEmbedded(nobody(), source);
    expect(lost.map((path) => existsSync(path))).toEqual([true, true]);
    expect((await readdir(cacheDirectory())).filter((name) => name.includes('draft'))).toEqual([]);
  });
});

const sleepers = `SELECT count(*)::int FROM pg_stat_activity
  WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'`;

async function row(url: string, statement: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows[0];
  } finally {
    await client.end();
  }
}

type User = { readonly uid: number; readonly gid: number };

/** Another process that uses the harness, and then does the `rest`. */
function runScript(rest: string, user?: User) {
  const harness = new URL('./harness/postgres/postgres.ts', import.meta.url).href;
  const text = `
    import { startPostgres } from ${JSON.stringify(harness)};
    const postgres = await startPostgres();
    process.stdout.write(JSON.stringify({ pid: postgres.pid, directory: postgres.directory }));
    ${rest}`;
  return spawn(process.execPath, ['--input-type=module', '-e', text], {
    ...(user && { uid: user.uid, gid: user.gid }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function startInScript(rest: string, user?: User) {
  const script = runScript(rest, user);
  const [text] = await once(script.stdout, 'data');
  const { pid, directory }: { pid: number; directory: string } = JSON.parse(String(text));
  return { script, pid, directory };
}

async function exitCode(script: ChildProcess): Promise<number | null> {
  if (script.exitCode === null) await once(script, 'exit');
  return script.exitCode;
}

async function gone(pid: number, directory: string): Promise<void> {
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => existsSync(directory)).toBe(false);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The first process of a container often forgets to reap what it inherits. */
function isZombie(pid: number): boolean {
  return process.platform === 'linux' && /^State:\s+Z/m.test(processStatus(pid));
}

function processStatus(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(processStatus(pid))?.[1]);
}

async function leftovers(): Promise<string[]> {
  return (await readdir(scratch)).filter((name) => /^surety-postgres-(?!cache-)/.test(name));
}

function cacheDirectory(): string {
  return join(scratch, `surety-postgres-cache-${process.getuid?.()}`);
}

/** What a start without options unpacks. */
async function usualArchive(): Promise<string> {
  const source = process.env.SURETY_POSTGRES ?? (installed ? 'system' : 'embedded');
  const part = `-${source}-${chooseIdentity(process.env.SURETY_POSTGRES_USER)?.name ?? 'self'}-`;
  const find = async () =>
    (await readdir(cacheDirectory()).catch(() => [])).find((name) => name.includes(part));
  if (!(await find())) await startPostgres().then((postgres) => postgres.stop());
  return join(cacheDirectory(), (await find()) ?? part);
}

function nobody() {
  const identity = chooseIdentity('nobody');
  if (!identity) throw new Error('Only root can ask for nobody.');
  return identity;
}

/** As npm leaves it when it may not run scripts, in a place like /root. Without the big share. */
async function closedPackage(): Promise<string> {
  const closed = await mkdtemp(join(scratch, 'root-only-'));
  const { directory } = await findEmbedded(nobody());
  const native = join(closed, 'native');
  await cp(dirname(directory), native, {
    recursive: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink() && !/\/(share)$/.test(path),
  });
  return native;
}

async function someLink(native: string): Promise<string> {
  const entries = await readdir(join(native, 'lib'), { withFileTypes: true });
  const link = entries.find((entry) => entry.isSymbolicLink());
  return join(native, 'lib', link?.name ?? 'no link');
}
