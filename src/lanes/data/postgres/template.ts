import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sha256 } from '../../../kernel/index.ts';
import type { Template } from '../../api-schema.ts';
import { laneLimits } from '../../limits.ts';
import type { StoreConfig } from '../store.ts';
import { programEnvironment, withDatabase } from './address.ts';
import { createLike } from './create-like.ts';
import { findPrograms } from './programs.ts';
import { type PostgresQuery, quoted } from './session.ts';

/**
 * Runs the work with an idle copy that is fresh enough, and locks the copy against replacement:
 * Postgres clones only a database without connections. The locks belong to the session, so a killed
 * process blocks no one.
 */
export async function withTemplate(
  query: PostgresQuery,
  config: StoreConfig,
  work: (template: string) => Promise<unknown>,
): Promise<void> {
  const name = await templateName(query);
  const lock = (how: string): Promise<unknown> =>
    query(`SELECT pg_advisory_${how}(hashtext($1))`, [name]);
  await lock('lock_shared');
  if (!(await isFresh(query, name, config))) {
    await lock('unlock_shared');
    await lock('lock');
    // Somebody else may have refreshed it while we waited.
    if (!(await isFresh(query, name, config))) await refresh(query, name, config);
    await lock('lock_shared');
    await lock('unlock');
  }
  await work(name);
}

/** The template as it is now, if there is one. */
export async function findTemplate(query: PostgresQuery): Promise<Template | undefined> {
  const name = await templateName(query);
  const facts = await readFacts(query, name);
  return facts && { name, ageMs: facts.ageMs, bytes: facts.bytes };
}

/** One template per live database of the server, shared by all lanes. */
async function templateName(query: PostgresQuery): Promise<string> {
  const [row] = await query<{ name: string }>('SELECT current_database() AS name');
  return `surety_template_${sha256(row?.name ?? '').slice(0, 16)}`;
}

async function isFresh(query: PostgresQuery, name: string, config: StoreConfig): Promise<boolean> {
  const facts = await readFacts(query, name);
  if (!facts || facts.ageMs > config.refreshMinutes * 60_000) return false;
  return facts.schema === (await liveSchema(query));
}

interface Facts {
  readonly ageMs: number;
  readonly bytes: number;
  readonly schema: string;
}

/** What was noted at the database itself: it is true of this copy, wherever it was made. */
async function readFacts(query: PostgresQuery, name: string): Promise<Facts | undefined> {
  const [row] = await query<{ note: string | null; now: number; bytes: string }>(
    `SELECT shobj_description(oid, 'pg_database') AS note, pg_database_size(oid) AS bytes,
       extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
     FROM pg_database WHERE datname = $1`,
    [name],
  );
  const note = parseNote(row?.note);
  if (!row || !note) return undefined;
  return { ageMs: row.now - note.at, bytes: Number(row.bytes), schema: note.schema };
}

function parseNote(text: string | null | undefined): { at: number; schema: string } | undefined {
  try {
    const note = JSON.parse(text ?? '');
    return Number.isFinite(note.at) && typeof note.schema === 'string' ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Beside the old one, which is replaced only by a whole copy. */
async function refresh(query: PostgresQuery, name: string, { url }: StoreConfig): Promise<void> {
  const next = `${name}_next`;
  const schema = await liveSchema(query);
  const [row] = await query<{ at: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at',
  );
  await query(`DROP DATABASE IF EXISTS ${quoted(next)} WITH (FORCE)`);
  await createLike(query, next);
  try {
    await copyLive(url, withDatabase(url, next));
    const note = JSON.stringify({ at: row?.at, schema }).replaceAll("'", "''");
    await query(`COMMENT ON DATABASE ${quoted(next)} IS '${note}'`);
    // Nobody can connect, so that it can be cloned at any time.
    await query(`ALTER DATABASE ${quoted(next)} WITH ALLOW_CONNECTIONS false`);
    await query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`);
    await query(`ALTER DATABASE ${quoted(next)} RENAME TO ${quoted(name)}`);
  } catch (error) {
    await query(`DROP DATABASE IF EXISTS ${quoted(next)} WITH (FORCE)`);
    throw error;
  }
}

/** A digest of tables, columns and indexes: a migration of the live database changes it. */
async function liveSchema(query: PostgresQuery): Promise<string> {
  const [row] = await query<{ digest: string }>(
    `SELECT md5(coalesce(string_agg(line, E'\\n' ORDER BY line COLLATE "C"), '')) AS digest FROM (
       SELECT format('%s.%s.%s %s %s', n.nspname, c.relname, a.attname,
         format_type(a.atttypid, a.atttypmod), a.attnotnull) AS line
       FROM pg_attribute a
       JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE a.attnum > 0 AND NOT a.attisdropped
         AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
       UNION ALL
       SELECT indexdef FROM pg_indexes WHERE schemaname !~ '^pg_'
     ) AS parts`,
  );
  return row?.digest ?? '';
}

const toldCharsMax = 2_000;

/** All of a live database, as of one moment, into an empty one. Its users are not held up. */
async function copyLive(from: string, to: string): Promise<void> {
  const programs = findPrograms();
  // Whoever copies owns the copy: it may not exist elsewhere under the roles of the original.
  const common = ['--no-owner', '--no-privileges', '--no-password'];
  const signal = AbortSignal.timeout(laneLimits.dataStepMsMax);
  const source = await programEnvironment(from);
  const target = await programEnvironment(to);
  const start = (name: string, words: readonly string[], own: typeof source): Program => {
    const env = { ...process.env, ...own };
    return follow(name, spawn(join(programs, name), [...common, ...words], { env, signal }));
  };
  const dump = start('pg_dump', ['--format=custom', '--compress=0'], source);
  const restore = start('pg_restore', ['--exit-on-error', `--dbname=${target.PGDATABASE}`], target);
  // When one of the two programs ends, the pipe of the other one closes, too; their exits report
  // their errors.
  void pipeline(dump.child.stdout, restore.child.stdin).catch(() => undefined);
  restore.child.stdout.resume();
  await Promise.all([dump.end, restore.end]);
}

interface Program {
  readonly child: ChildProcessWithoutNullStreams;
  readonly end: Promise<void>;
}

function follow(name: string, child: ChildProcessWithoutNullStreams): Program {
  let said = '';
  child.stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-toldCharsMax);
  });
  const end = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error(`${name} failed (${code}): ${said.trim()}`);
  });
  return { child, end };
}
