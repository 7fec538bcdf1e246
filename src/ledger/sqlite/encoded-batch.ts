import type { Head, StoredEntry } from '../entry.ts';
import type { Batch } from '../store.ts';

/**
 * A batch as it travels to the database's thread: values in the order of the columns, without
 * names. Copying the names of ten properties per entry took longer than writing the entry.
 */
export interface EncodedBatch extends Pick<Batch, 'rows' | 'shreds'> {
  readonly head: Head;
  readonly entries: readonly (string | number)[][];
  readonly contents: readonly (string | number | null)[][];
}

export function encodeBatch({ entries, contents, rows, shreds }: Batch): EncodedBatch {
  const { seq, at, hash } = entries.at(-1) as StoredEntry;
  return {
    head: { seq, at, hash },
    entries: entries.map((e) => [
      e.seq,
      e.at,
      e.kind,
      e.actor,
      e.salt,
      e.body,
      e.digest,
      e.prev,
      e.hash,
    ]),
    contents: contents.map((c) => [
      c.seq,
      c.name,
      c.subject,
      c.digest,
      c.salt,
      c.value,
      c.shreddedBy,
    ]),
    rows,
    shreds,
  };
}
