import type { Json } from '../kernel/index.ts';

interface RowSource {
  rows<Value extends Json>(prefix: string): AsyncIterable<{ key: string; value: Value }>;
}

/** Reads one row. Keys are sorted, so its own is the first of those that begin with it. */
export async function readRow<Row extends Json>(
  source: RowSource,
  wanted: string,
): Promise<Row | undefined> {
  for await (const { key, value } of source.rows<Row>(wanted)) {
    return key === wanted ? value : undefined;
  }
  return undefined;
}
