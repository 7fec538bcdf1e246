import type { Head } from '../api-schema.ts';
import type { StoredEntry } from '../entry.ts';
import { ledgerLimits } from '../limits.ts';
import type { Batch } from '../store.ts';

/**
 * A batch as it travels to the database's thread: a few texts per table, their values in the order
 * of the columns. Copying some forty small values per entry over the border took longer than
 * writing them; one long text is copied as a block. It cannot be of any length, though: what
 * hundreds of callers write at once may be more than a text can hold.
 */
export interface EncodedBatch extends Pick<Batch, 'shreds'> {
  readonly head: Head;
  readonly entries: readonly string[];
  readonly contents: readonly string[];
  readonly rows: readonly string[];
  readonly absent: readonly string[];
}

/** A control character: canonical JSON escapes it, and no key, name or hash can hold it. */
const separator = '\u001f';
const nothing = '\u0000';

export function encodeBatch(
  { entries, contents, rows, shreds, absent = [] }: Batch,
  charsMax: number = ledgerLimits.batchTextCharsMax,
): EncodedBatch {
  const { seq, at, hash } = entries.at(-1) as StoredEntry;
  const entryTexts = new Texts(charsMax);
  for (const e of entries) {
    const values = entryTexts.room(e.body.length);
    values.push(e.seq, e.at, e.kind, e.actor, e.salt, e.body, e.digest, e.prev, e.hash);
  }
  const contentTexts = new Texts(charsMax);
  for (const c of contents) {
    const { salt, value, shreddedBy } = c;
    const values = contentTexts.room(value?.length ?? 0);
    values.push(c.seq, c.name, c.subject, c.digest);
    values.push(salt ?? nothing, value ?? nothing, shreddedBy ?? nothing);
  }
  const rowTexts = new Texts(charsMax);
  for (const { key, value } of rows) {
    rowTexts.room(value?.length ?? 0).push(key, value ?? nothing);
  }
  return {
    head: { seq, at, hash },
    entries: entryTexts.end(),
    contents: contentTexts.end(),
    rows: rowTexts.end(),
    shreds,
    absent,
  };
}

/** More than all columns together that are not counted one by one: keys, names, hashes. */
const smallChars = 1_000;

/** The values of one table, whole records in each text. */
class Texts {
  readonly #charsMax: number;
  readonly #texts: string[] = [];
  #values: (string | number)[] = [];
  #chars = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Where the next record belongs, whose one long value has so many characters. */
  room(chars: number): (string | number)[] {
    const more = chars + smallChars;
    if (this.#chars + more > this.#charsMax) this.#cut();
    this.#chars += more;
    return this.#values;
  }

  end(): readonly string[] {
    this.#cut();
    return this.#texts;
  }

  #cut(): void {
    if (this.#values.length === 0) return;
    this.#texts.push(this.#values.join(separator));
    this.#values = [];
    this.#chars = 0;
  }
}

/** The values of one table, `width` of them at a time; SQLite makes numbers of the texts. */
export function* decodeValues(
  texts: readonly string[],
  width: number,
): Iterable<(string | null)[]> {
  for (const text of texts) {
    const values = text.split(separator);
    for (let index = 0; index < values.length; index += width) {
      yield values.slice(index, index + width).map((value) => (value === nothing ? null : value));
    }
  }
}
