import type { Head, StoredEntry } from '../entry.ts';
import type { Batch } from '../store.ts';

/**
 * A batch as it travels to the database's thread: one text per table, its values in the order of
 * the columns. Copying some forty small values per entry over the border took longer than writing
 * them; one long text is copied as a block.
 */
export interface EncodedBatch extends Pick<Batch, 'shreds'> {
  readonly head: Head;
  readonly entries: string;
  readonly contents: string;
  readonly rows: string;
}

/** A control character: canonical JSON escapes it, and no key, name or hash can hold it. */
const separator = '\u001f';
const nothing = '\u0000';

export function encodeBatch({ entries, contents, rows, shreds }: Batch): EncodedBatch {
  const { seq, at, hash } = entries.at(-1) as StoredEntry;
  const entryValues: (string | number)[] = [];
  for (const e of entries) {
    entryValues.push(e.seq, e.at, e.kind, e.actor, e.salt, e.body, e.digest, e.prev, e.hash);
  }
  const contentValues: (string | number)[] = [];
  for (const c of contents) {
    const { salt, value, shreddedBy } = c;
    contentValues.push(c.seq, c.name, c.subject, c.digest);
    contentValues.push(salt ?? nothing, value ?? nothing, shreddedBy ?? nothing);
  }
  const rowValues: string[] = [];
  for (const { key, value } of rows) rowValues.push(key, value ?? nothing);
  return {
    head: { seq, at, hash },
    entries: entryValues.join(separator),
    contents: contentValues.join(separator),
    rows: rowValues.join(separator),
    shreds,
  };
}

/** The values of one table, `width` of them at a time; SQLite makes numbers of the texts. */
export function* decodeValues(text: string, width: number): Iterable<(string | null)[]> {
  if (text === '') return;
  const values = text.split(separator);
  for (let index = 0; index < values.length; index += width) {
    yield values.slice(index, index + width).map((value) => (value === nothing ? null : value));
  }
}
