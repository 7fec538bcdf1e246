import type { Head } from './api-schema.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { StoredContent } from './content.ts';
import type { StoredEntry } from './entry.ts';
import type { Row, RowChange } from './projection.ts';

/**
 * Where one workspace's ledger lies. A store is dumb: it locks, loads, writes atomically and reads
 * back. What is written is decided above it, once for all stores.
 */
export interface Store extends StoreReader {
  /** Locks the head against every other writer, and loads the rows of `keys`. */
  begin(keys: readonly string[]): Promise<StoreSession>;
  /**
   * Takes no lock before its commit, which fails with LEDGER_MOVED if the chain does not end at
   * `head` then. What leads to `head` may still be on its way to the disk: its rows are not seen
   * yet. A store that cannot do this leaves it out.
   */
  beginAfter?(head: Head, keys: readonly string[]): Promise<StoreSession>;
  addCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Calls back after an append, by this process or another; may call more often than needed. */
  onAppend(listener: () => void): () => void;
}

/** Everything that can be asked of a ledger that is not written to. Scans yield pages, in order. */
export interface StoreReader {
  readonly workspace: string;
  head(): Promise<Head>;
  scanEntries(from: number): AsyncIterable<readonly StoredEntry[]>;
  scanContents(from: number): AsyncIterable<readonly StoredContent[]>;
  scanRows(prefix: string): AsyncIterable<readonly Row[]>;
  entries(from: number, limit: number): Promise<readonly StoredEntry[]>;
  contents(seq: number): Promise<readonly StoredContent[]>;
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** What the store itself finds broken in its files, in words; null if it finds nothing. */
  damage(): Promise<string | null>;
  close(): Promise<void>;
}

/** One transaction. Ends with `commit` or `rollback`, whichever is called first. */
export interface StoreSession {
  readonly head: Head;
  readonly rows: readonly Row[];
  load(keys: readonly string[]): Promise<readonly Row[]>;
  hashAt(seq: number): Promise<string | undefined>;
  /**
   * Resolves when the batch is durable. Rejects with LEDGER_IN_DOUBT only when the store went away
   * during the commit itself; with any other fault nothing was written.
   */
  commit(batch: Batch): Promise<void>;
  rollback(): Promise<void>;
}

export interface Batch {
  /** Rows of which nobody has looked whether they are there; LEDGER_MOVED if one is. */
  readonly absent?: readonly string[];
  readonly entries: readonly StoredEntry[];
  readonly contents: readonly StoredContent[];
  readonly rows: readonly RowChange[];
  readonly shreds: readonly Shred[];
}

/** Destroys every content about `subject`, in the same transaction as the entry that says so. */
export interface Shred {
  readonly subject: string;
  readonly seq: number;
}
