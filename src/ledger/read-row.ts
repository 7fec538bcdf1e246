import type { Json } from '../kernel/index.ts';
import type { Ledger } from './ledger.ts';

/** Reads one row. Keys are sorted, so its own is the first of those that begin with it. */
export async function readRow<Row extends Json>(
  ledger: Pick<Ledger, 'rows'>,
  wanted: string,
): Promise<Row | undefined> {
  for await (const { key, value } of ledger.rows<Row>(wanted)) {
    return key === wanted ? value : undefined;
  }
  return undefined;
}
