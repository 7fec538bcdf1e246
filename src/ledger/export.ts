import type { JsonObject } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { StoredContent } from './content.ts';
import type { StoredEntry } from './entry.ts';
import type { StoreReader } from './store.ts';

/** One line of an export: JSON Lines, in this order, one key each that says what it is. */
export type ExportLine =
  | { readonly ledger: { readonly format: 1; readonly workspace: string } }
  | { readonly entry: Omit<StoredEntry, 'body' | 'workspace'> & { readonly body: JsonObject } }
  | { readonly content: StoredContent }
  | { readonly checkpoint: Checkpoint }
  | { readonly end: Head };

/**
 * The whole ledger as text that verifies with nothing but itself and the public key. An entry is
 * followed by its contents and by the checkpoints that were signed at it.
 */
export async function* exportLedger(source: StoreReader): AsyncGenerator<ExportLine> {
  yield { ledger: { format: 1, workspace: source.workspace } };
  const checkpoints = Map.groupBy(await source.checkpoints(), ({ seq }) => seq);
  const contents = flatten(source.scanContents(0));
  let next = await contents.next();
  for await (const page of source.scanEntries(0)) {
    for (const entry of page) {
      yield entryLine(entry);
      for (; !next.done && next.value.seq === entry.seq; next = await contents.next()) {
        yield { content: next.value };
      }
      for (const checkpoint of checkpoints.get(entry.seq) ?? []) yield { checkpoint };
    }
  }
  yield { end: await source.head() };
}

function entryLine({ workspace: _, body, ...rest }: StoredEntry): ExportLine {
  return { entry: { ...rest, body: JSON.parse(body) as JsonObject } };
}

async function* flatten<Item>(pages: AsyncIterable<readonly Item[]>): AsyncGenerator<Item> {
  for await (const page of pages) yield* page;
}
