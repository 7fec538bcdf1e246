import { canonicalJson, isJsonObject, type Json } from '../../kernel/index.ts';
import type { StoreRows } from '../../lanes/index.ts';
import type { Write } from '../compare/index.ts';

type Table = StoreRows['tables'][number];

/** Pure: what was written between two looks at the same stores. */
export function writesBetween(
  before: readonly StoreRows[],
  after: readonly StoreRows[],
  writerOf: (store: string) => string,
): Write[] {
  return after.flatMap(({ store, tables }) => {
    const were = before.find((one) => one.store === store)?.tables ?? [];
    const common = { service: writerOf(store), store };
    return tables.flatMap((table) => {
      const was = were.find((one) => one.table === table.table);
      // One that had too many rows to be read then: nobody knows which of them are new.
      if (!was) return [];
      return changesOf(was, table).map((change) => ({ ...common, table: table.table, ...change }));
    });
  });
}

type Change = Pick<Write, 'kind' | 'row'>;

function changesOf(was: Table, is: Table): Change[] {
  const [before, after] = [byKey(was), byKey(is)];
  const written = [...after].flatMap(([key, row]): Change[] => {
    const old = before.get(key);
    if (old === undefined) return [{ kind: 'insert', row }];
    return canonicalJson(old) === canonicalJson(row) ? [] : [{ kind: 'update', row }];
  });
  const gone = [...before].filter(([key]) => !after.has(key));
  return [...written, ...gone.map(([, row]): Change => ({ kind: 'delete', row }))];
}

/** Without a key rows are told apart by all that they say, and equal ones by their number. */
function byKey({ key, rows }: Table): Map<string, Json> {
  const seen = new Map<string, number>();
  return new Map(
    rows.map((row) => {
      const name = key.length > 0 && isJsonObject(row) ? keyOf(row, key) : canonicalJson(row);
      const time = (seen.get(name) ?? 0) + 1;
      seen.set(name, time);
      return [`${name} ${time}`, row];
    }),
  );
}

function keyOf(row: Readonly<Record<string, Json>>, key: readonly string[]): string {
  return canonicalJson(key.map((name) => row[name] ?? null));
}
