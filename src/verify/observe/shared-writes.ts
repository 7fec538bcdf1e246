import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Hop, Lane, Lanes, StoreMark, StoreRows } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Write } from '../compare/index.ts';
import type { LanePair } from '../pipeline/lane-pair.ts';
import { writerOf } from './written-rows.ts';

interface SharedContext {
  readonly lanes?: Partial<Pick<Lanes, 'liveData'>>;
  readonly config: Pick<Config, 'services'>;
}

/** What one version did, as far as it shows which rows are its own. */
interface LaneTraffic {
  readonly hops: readonly Hop[];
  readonly dropped?: readonly string[];
}

interface SharedWrites {
  readonly control: { readonly writes?: readonly Write[] };
  readonly candidate: { readonly writes?: readonly Write[] };
}

const none: SharedWrites = { control: {}, candidate: {} };

/**
 * Reads what both lanes write from now on into data that they share with everybody. A row does not
 * say who wrote it, but most rows hold an id that only one lane sent or was answered.
 */
export async function watchSharedWrites(
  { candidate, control }: LanePair,
  { lanes, config }: SharedContext,
): Promise<(control: LaneTraffic, candidate: LaneTraffic) => Promise<SharedWrites>> {
  const stores = sharedStores(candidate, config);
  const isComparable = stores.length > 0 && candidate.lane !== control.lane;
  // Data that can't be read is not compared: the change is not to blame for that.
  const marks = isComparable ? await lanes?.liveData?.markLive(stores).catch(() => []) : [];
  if (!marks?.length) return async () => none;
  return async (first, second) => {
    const isCut = [first, second].some(({ dropped = [] }) => dropped.includes('calls'));
    const rows = isCut ? null : await readSince(marks, lanes);
    if (rows === null) return none;
    const nameWriter = (store: string): string => writerOf(store, candidate, config);
    const [was, is] = [idsIn(first.hops), idsIn(second.hops)];
    return {
      control: { writes: ownWrites(rows, without(was, is), nameWriter) },
      candidate: { writes: ownWrites(rows, without(is, was), nameWriter) },
    };
  };
}

function readSince(
  marks: readonly StoreMark[],
  lanes: SharedContext['lanes'],
): Promise<readonly StoreRows[] | null> {
  return lanes?.liveData?.liveRowsSince(marks).catch(() => null) ?? Promise.resolve(null);
}

/** Those of compared services that the lane does not have for itself. */
function sharedStores(
  { candidates, data = [] }: Lane,
  { services }: SharedContext['config'],
): string[] {
  const compared = candidates.filter(({ version }) => version !== 'caller');
  const used = new Set(compared.flatMap(({ service }) => services[service]?.stores ?? []));
  return data
    .filter(({ store, mode, branch }) => mode === 'shared' && branch === null && used.has(store))
    .map(({ store }) => store);
}

/** Pure: the rows that hold one of these ids, each with the form of its texts. */
export function ownWrites(
  stores: readonly StoreRows[],
  ids: ReadonlySet<string>,
  nameWriter: (store: string) => string,
): Write[] {
  return stores.flatMap(({ store, tables }) =>
    tables.flatMap(({ table, rows }) =>
      rows
        .filter((row) => idWords(JSON.stringify(row)).some((word) => ids.has(word)))
        .map((row) => ({
          service: nameWriter(store),
          store,
          table,
          kind: 'write' as const,
          row,
          forms: formsOf(row, ids),
        })),
    ),
  );
}

/** By column, a text with `<id>` in place of the ids: `<id>:card`. */
function formsOf(row: Json, ids: ReadonlySet<string>): Record<string, string> {
  if (!isJsonObject(row)) return {};
  const formOf = (text: string): string =>
    text.replaceAll(/[\w-]+/g, (word) =>
      ids.has(word) ? '<id>' : word.replaceAll(uuid, (one) => (ids.has(one) ? '<id>' : one)),
    );
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, held]) => {
      const form = typeof held === 'string' ? formOf(held) : '';
      return form.includes('<id>') ? [[name, form]] : [];
    }),
  );
}

function idsIn(hops: readonly Hop[]): Set<string> {
  const texts = hops.flatMap(({ path, requestBody, responseBody }) => [
    path,
    JSON.stringify(requestBody),
    JSON.stringify(responseBody),
  ]);
  return new Set(texts.flatMap(idWords));
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;
const idCharsMin = 8;
const idDigitsMin = 3;

/** Long words with letters and digits, and what looks like a UUID in them; no dates. */
function idWords(text: string): string[] {
  const words = (text.match(/[\w-]+/g) ?? []).filter(
    (word) =>
      word.length >= idCharsMin &&
      /[a-z]/i.test(word) &&
      !/^\d{4}-?\d\d-?\d\d/.test(word) &&
      word.replace(/\D/g, '').length >= idDigitsMin,
  );
  return [...words, ...(text.match(uuid) ?? [])];
}

/** Without ids that both lanes used: such a row may be of either. */
function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...ids].filter((id) => !others.has(id)));
}
