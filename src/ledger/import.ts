import { fault, zeroHash } from '../kernel/index.ts';
import type { Entry } from './api-schema.ts';
import type { StoredContent } from './content.ts';
import { readEntry, type StoredEntry } from './entry.ts';
import { ledgerLimits } from './limits.ts';
import { Overlay } from './overlay.ts';
import type { Projections } from './projection.ts';
import { RowCache } from './row-cache.ts';
import type { Store } from './store.ts';
import type { Verifiable } from './verify.ts';

/**
 * Writes a verified export into an empty store: the same entries with the same hashes, and rows
 * computed again from them. Call it only with a source that `verifyLedger` found sound.
 */
export async function importLedger(
  source: Verifiable,
  store: Store,
  projections: Projections,
): Promise<number> {
  const { seq, hash } = await store.head();
  if (seq > 0 || hash !== zeroHash) {
    throw fault('IMPORT_NOT_EMPTY', { workspace: store.workspace, entries: seq });
  }
  let entries = 0;
  const contents = new ContentReader(source.scanContents(0));
  for await (const page of source.scanEntries(0)) {
    for (let from = 0; from < page.length; from += ledgerLimits.batchRequestsMax) {
      const batch = page.slice(from, from + ledgerLimits.batchRequestsMax);
      await writeBatch(store, projections, batch, contents);
      entries += batch.length;
    }
  }
  for (const checkpoint of await source.checkpoints()) await store.addCheckpoint(checkpoint);
  return entries;
}

async function writeBatch(
  store: Store,
  projections: Projections,
  entries: readonly StoredEntry[],
  reader: ContentReader,
): Promise<void> {
  const contents = await reader.upTo((entries.at(-1) as StoredEntry).seq);
  const read = entries.filter(({ kind }) => projections.listensTo(kind)).map(readEntry);
  const keys = [...new Set(read.flatMap((entry: Entry) => projections.keys(entry)))];
  const session = await store.begin(keys);
  const overlay = new Overlay(new RowCache());
  overlay.load(keys, session.rows);
  for (const entry of read) projections.apply(overlay, entry);
  overlay.keep();
  await session.commit({ entries, contents, rows: overlay.changes(), shreds: [] });
}

/** Contents in step with the entries they belong to. */
class ContentReader {
  readonly #pages: AsyncIterator<readonly StoredContent[]>;
  #left: StoredContent[] = [];

  constructor(pages: AsyncIterable<readonly StoredContent[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  async upTo(seq: number): Promise<StoredContent[]> {
    while ((this.#left.at(-1)?.seq ?? 0) <= seq) {
      const { done, value } = await this.#pages.next();
      if (done) break;
      this.#left.push(...value);
    }
    const taken = this.#left.filter((content) => content.seq <= seq);
    this.#left = this.#left.filter((content) => content.seq > seq);
    return taken;
  }
}
