import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { fault, zeroHash } from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import type { Checkpoint } from '../checkpoint.ts';
import type { StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import { ledgerLimits } from '../limits.ts';
import { pendingMigrations, readMigrations } from '../migrations.ts';
import type { Row } from '../projection.ts';
import { decodeValues, type EncodedBatch } from './encoded-batch.ts';
import { openFile, type SqliteOptions } from './open-file.ts';
import { sqliteFault } from './sqlite-fault.ts';

const columns = 'seq, at, kind, actor, salt, body, digest, prev, hash';
const contentColumns = 'seq, name, subject, digest, salt, value, shredded_by AS shreddedBy';

/**
 * How long the log may become before a commit copies what is left of it and begins it anew. That
 * commit waits for the disk longer than others, although `copyLog` has copied most pages by then.
 */
const walPagesMax = 8_000;
const lockLost = 'the lock on it was lost';

/** Contents can be megabytes each; a page of them must not be. */
const contentsPerPage = 50;

/**
 * All of SQLite that the ledger uses, synchronous and in one place. It runs in a worker thread of
 * the daemon, or directly in a command that only reads.
 */
export class SqliteDatabase {
  readonly #options: SqliteOptions;
  readonly #database: DatabaseSync;
  readonly #workspace: string;
  /** Whether the log may still hold what was destroyed. */
  #holdsDestroyed = false;
  /** A second connection, for `copyLog`. */
  #copier: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#workspace = options.workspace;
    this.#database = openFile(options);
    try {
      if (!options.readOnly) this.#prepareFile();
      // A reader sees one moment, however long it reads and whatever is appended meanwhile.
      else if (!options.follows) this.#database.exec('BEGIN');
      this.#checkSchema(options);
    } catch (error) {
      this.#database.close();
      throw sqliteFault(error);
    }
  }

  head(): Head {
    return this.#guard(() => this.#head());
  }

  begin(keys: readonly string[]): { head: Head; rows: Row[] } {
    return this.#guard(() => {
      // Whoever asked before and never came back must not keep the next one out.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#prepare('BEGIN IMMEDIATE').run();
      return { head: this.#head(), rows: this.#rows(keys) };
    });
  }

  load(keys: readonly string[]): Row[] {
    return this.#guard(() => this.#rows(keys));
  }

  hashAt(seq: number): string | undefined {
    return this.#guard(() => {
      const row = this.#prepare('SELECT hash FROM entries WHERE seq = ?').get(seq);
      return row?.hash as string | undefined;
    });
  }

  /** `begin` and `commit` in one, for a caller that knows where the chain ends. */
  commitAfter(head: Head, batch: EncodedBatch): boolean {
    const { head: found, rows } = this.begin(batch.absent);
    if (found.hash !== head.hash || rows.length > 0) {
      this.rollback();
      throw fault('LEDGER_MOVED', {});
    }
    return this.commit(batch);
  }

  /** False if the log may still hold what was destroyed: then `forgetLog` has to be called. */
  commit(batch: EncodedBatch): boolean {
    return this.#guard(() => {
      // In a thread that replaced a crashed one, each statement would be its own transaction.
      if (!this.#database.isTransaction) throw fault('STORE_UNAVAILABLE', { reason: lockLost });
      try {
        this.#write(batch);
        this.#prepare('COMMIT').run();
      } catch (error) {
        this.rollback();
        throw error;
      }
      if (batch.shreds.length > 0) {
        this.#holdsDestroyed = true;
        this.forgetLog();
      }
      return !this.#holdsDestroyed;
    });
  }

  rollback(): void {
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
  }

  entries(from: number, limit: number): StoredEntry[] {
    const sql = `SELECT ${columns} FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?`;
    return this.#guard(() => {
      const rows = this.#prepare(sql).all(from, limit);
      // In place: a copy of every row would be a third of the time that `verify` takes.
      for (const row of rows) row.workspace = this.#workspace;
      // The selected columns are the members of the type.
      return rows as unknown as StoredEntry[];
    });
  }

  contents(seq: number): StoredContent[] {
    const sql = `SELECT ${contentColumns} FROM contents WHERE seq = ? ORDER BY name`;
    return this.#all(sql, seq);
  }

  /** The page after (seq, name). */
  contentsAfter(seq: number, name: string): StoredContent[] {
    const sql = `SELECT ${contentColumns} FROM contents WHERE (seq, name) > (?, ?)
      ORDER BY seq, name LIMIT ${contentsPerPage}`;
    return this.#all(sql, seq, name);
  }

  /** The page after `key` among those that start with `prefix`. */
  rowsAfter(prefix: string, key: string): Row[] {
    // One lower bound only: of two, SQLite may seek to the lower one and walk from there.
    const isAfter = key !== '';
    const sql = `SELECT key, value FROM rows WHERE key ${isAfter ? '>' : '>='} ? AND key < ?
      ORDER BY key LIMIT ${ledgerLimits.scanPageEntries}`;
    // '~' is the last character that a key may have; DEL comes after every key of the prefix.
    return this.#all(sql, isAfter ? key : prefix, `${prefix}\x7f`);
  }

  checkpoints(): Checkpoint[] {
    return this.#all(
      'SELECT seq, at, hash, key_id AS keyId, signature FROM checkpoints ORDER BY seq',
    );
  }

  addCheckpoint({ seq, at, hash, keyId, signature }: Checkpoint): void {
    const sql = 'INSERT OR IGNORE INTO checkpoints VALUES (?, ?, ?, ?, ?)';
    this.#guard(() => this.#prepare(sql).run(seq, at, hash, keyId, signature));
  }

  /** An index or a page that is broken can hide a row from the one who looks for it. */
  damage(): string | null {
    const [found] = this.#all<{ integrity_check: string }>('PRAGMA integrity_check(1)');
    return found?.integrity_check === 'ok' ? null : String(found?.integrity_check);
  }

  /**
   * Copies the log into the database's file, as far as readers allow it; commits of other
   * connections go on meanwhile. A commit that found a long log would do this itself, and make
   * every caller wait for it.
   */
  copyLog(): void {
    this.#guard(() => {
      this.#copier ??= openFile({ ...this.#options, readOnly: false });
      this.#copier.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)');
    });
  }

  /**
   * The write-ahead log still holds pages as they were before contents were destroyed. It stays
   * while somebody reads from it; appends don't wait for that, and neither does the one who shreds.
   */
  forgetLog(): boolean {
    if (this.#holdsDestroyed) this.#holdsDestroyed = !this.#isLogForgotten();
    return !this.#holdsDestroyed;
  }

  close(): void {
    if (this.#copier?.isOpen) this.#copier.close();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepareFile(): void {
    this.#database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA wal_autocheckpoint = ${walPagesMax};
    `);
    // After a crash, what was destroyed may still be in the log.
    this.#holdsDestroyed = true;
    this.forgetLog();
  }

  #checkSchema({ readOnly }: SqliteOptions): void {
    const { user_version } = this.#database.prepare('PRAGMA user_version').get() as {
      user_version: number;
    };
    const all = readMigrations(new URL('./migrations/', import.meta.url));
    const pending = pendingMigrations(all, user_version);
    if (readOnly && pending.length > 0) {
      throw fault('LEDGER_CORRUPT', { reason: `its schema has version ${user_version}` });
    }
    for (const { version, sql } of pending) {
      this.#database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version}; COMMIT`);
    }
    this.#checkWorkspace(readOnly);
  }

  #checkWorkspace(readOnly: boolean): void {
    const insert =
      'INSERT OR IGNORE INTO head SELECT ?, 0, 0, ? WHERE NOT EXISTS (SELECT 1 FROM head)';
    if (!readOnly) this.#database.prepare(insert).run(this.#workspace, zeroHash);
    const row = this.#database.prepare('SELECT workspace FROM head').get();
    const found = String(row?.workspace ?? '');
    if (found === this.#workspace) return;
    throw fault('LEDGER_OTHER_WORKSPACE', { found, wanted: this.#workspace });
  }

  #head(): Head {
    const row = this.#prepare('SELECT seq, at, hash FROM head WHERE workspace = ?').get(
      this.#workspace,
    );
    if (row) return row as Head;
    throw fault('LEDGER_CORRUPT', { reason: 'the row that says where the chain ends is missing' });
  }

  #rows(keys: readonly string[]): Row[] {
    const select = this.#prepare('SELECT key, value FROM rows WHERE key = ?');
    return keys.flatMap((key) => (select.get(key) as Row | undefined) ?? []);
  }

  #write({ head, entries, contents, rows, shreds }: EncodedBatch): void {
    const addEntry = this.#prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    for (const values of decodeValues(entries, 9)) addEntry.run(...values);
    const addContent = this.#prepare('INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const values of decodeValues(contents, 7)) addContent.run(...values);
    this.#writeRows(rows);
    const destroy = this.#prepare(
      `UPDATE contents SET salt = NULL, value = NULL, shredded_by = ?
       WHERE subject = ? AND shredded_by IS NULL`,
    );
    for (const { subject, seq } of shreds) destroy.run(seq, subject);
    this.#prepare('UPDATE head SET seq = ?, at = ?, hash = ?').run(head.seq, head.at, head.hash);
  }

  #writeRows(rows: EncodedBatch['rows']): void {
    const upsert = this.#prepare(
      'INSERT INTO rows VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    );
    const remove = this.#prepare('DELETE FROM rows WHERE key = ?');
    for (const [key = '', value = null] of decodeValues(rows, 2)) {
      if (value === null) remove.run(key);
      else upsert.run(key, value);
    }
  }

  #isLogForgotten(): boolean {
    try {
      this.#database.exec('PRAGMA busy_timeout = 0');
      const found = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return found?.busy === 0;
    } catch {
      // In the middle of a transaction, or no room on the disk: it is committed all the same.
      return false;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${ledgerLimits.storeAnswerMsMax}`);
    }
  }

  #all<Result>(sql: string, ...values: (string | number)[]): Result[] {
    return this.#guard(() => this.#prepare(sql).all(...values) as Result[]);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw sqliteFault(error);
    }
  }
}
