import { type Instant, identifierTime } from '../../kernel/index.ts';
import type { Entry, Ledger } from '../../ledger/index.ts';
import { runtimeLimits } from '../limits.ts';

const pageEntries = 1_000;

/**
 * The entry that created something, found by the time in its identifier. No earlier entry can be
 * about it. An invented id must be cheap.
 */
export async function findEntry(
  ledger: Ledger,
  identifier: string,
  prefix: string,
  isIt: (entry: Entry) => boolean,
): Promise<Entry | undefined> {
  const madeAt = identifierTime(identifier, prefix);
  if (madeAt === undefined) return undefined;
  const { seq: last } = await ledger.head();
  const first = await firstSince(madeAt, last, ledger);
  for (let from = first; from <= last && from - first < runtimeLimits.explainEntriesMax; ) {
    const page = await ledger.entries(from, pageEntries);
    const found = page.find(isIt);
    if (found) return found;
    from = (page.at(-1)?.seq ?? last) + 1;
  }
  return undefined;
}

/** The number of the first entry that is not older; entries are in order of time. */
export async function firstSince(instant: Instant, last: number, ledger: Ledger): Promise<number> {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await ledger.entries(middle, 1);
    if (entry && entry.at < instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
