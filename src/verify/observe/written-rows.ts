import { canonicalJson, isJsonObject, type Json } from '../../kernel/index.ts';
import type { Lane, Lanes, StoreRows } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { VersionRecording, Write } from '../compare/index.ts';

interface WriteContext {
  readonly lanes?: Pick<Lanes, 'rows'>;
  readonly config: Pick<Config, 'services'>;
}

type Writes = Pick<VersionRecording, 'writes'>;

/**
 * Reads what the lane writes from now on into stores of its own. Others may write into a shared
 * store at the same time, and a row does not say who wrote it.
 */
export async function watchWrites(
  lane: Lane,
  changed: Lane,
  { lanes, config }: WriteContext,
): Promise<() => Promise<Writes>> {
  const isOwn = lane.data?.some(({ mode }) => mode !== 'shared') ?? false;
  if (!lanes || !isOwn) return async () => ({});
  const before = await lanes.rows(lane);
  const nameWriter = (store: string): string => writerOf(store, changed, config);
  return async () => ({ writes: writesBetween(before, await lanes.rows(lane), nameWriter) });
}

/** The changed service that uses the store; the first of several. */
export function writerOf(
  store: string,
  { candidates }: Lane,
  { services }: WriteContext['config'],
): string {
  const using = candidates.filter(({ service }) => services[service]?.stores.includes(store));
  const [first] = [...using.filter(({ version }) => version === 'changed'), ...using];
  return first?.service ?? store;
}

type Table = StoreRows['tables'][number];

/** Pure: what was written between two readings of the same stores. */
export function writesBetween(
  before: readonly StoreRows[],
  after: readonly StoreRows[],
  nameWriter: (store: string) => string,
): Write[] {
  return after.flatMap(({ store, tables }) => {
    const were = before.find((one) => one.store === store)?.tables ?? [];
    const common = { service: nameWriter(store), store };
    return tables.flatMap((table) => {
      const was = were.find((one) => one.table === table.table);
      // The table had too many rows to read before, so new ones are unknown.
      if (!was) return [];
      return changesOf(was, table).map((change) => ({ ...common, table: table.table, ...change }));
    });
  });
}

type RowChange = Pick<Write, 'kind' | 'row'>;

function changesOf(was: Table, is: Table): RowChange[] {
  const [before, after] = [byKey(was), byKey(is)];
  const written = [...after].flatMap(([key, row]): RowChange[] => {
    const old = before.get(key);
    if (old === undefined) return [{ kind: 'insert', row }];
    return canonicalJson(old) === canonicalJson(row) ? [] : [{ kind: 'update', row }];
  });
  const gone = [...before].filter(([key]) => !after.has(key));
  return [...written, ...gone.map(([, row]): RowChange => ({ kind: 'delete', row }))];
}

/** Rows without a key are identified by all their values, equal ones by a counter. */
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
