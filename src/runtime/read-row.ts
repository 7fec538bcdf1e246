import type { Json } from '../kernel/index.ts';
import type { Ledger } from '../ledger/index.ts';

/** One row, as it is now. */
export async function readRow<Row extends Json>(
  ledger: Ledger,
  wanted: string,
): Promise<Row | undefined> {
  for await (const { key, value } of ledger.rows<Row>(wanted)) if (key === wanted) return value;
  return undefined;
}
