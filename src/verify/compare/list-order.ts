import { isJsonObject, type Json } from '../../kernel/index.ts';
import { certaintyOf } from './difference.ts';
import type { Drift } from './field-drift.ts';
import { fieldName } from './field-facts.ts';
import { steadyJson } from './steady-json.ts';

interface Sides {
  readonly baseline: readonly Json[];
  readonly control: readonly Json[];
  readonly candidate: readonly Json[];
}

/** Lists that have the same items as before in another order, or that are no longer sorted. */
export function findReordered({ baseline, control, candidate }: Sides): Drift[] {
  const [first, second, now] = [baseline, control, candidate].map(listsIn);
  return [...(now ?? [])].flatMap(([place, lists]) => {
    const [was = [], again = []] = [first?.get(place), second?.get(place)];
    const found = otherOrder({ was, again, is: lists }) ?? lostOrder([...was, ...again], lists);
    if (!found) return [];
    return [
      {
        field: `${place}[]`,
        what: 'order-changed',
        ...found,
        severity: 'fail',
        confidence: certaintyOf(was.length + again.length),
      },
    ];
  });
}

type OrderChange = Pick<Drift, 'before' | 'after' | 'examples'>;

interface ListSides {
  readonly was: readonly List[];
  readonly again: readonly List[];
  readonly is: readonly List[];
}

/** Both known runs had the same items in the same order, and the candidate in another. */
function otherOrder({ was, again, is }: ListSides): OrderChange | null {
  const [before, now] = [was, is].map((lists) => lists.map(inOrder).sort());
  if (!before || !now || before.join() !== again.map(inOrder).sort().join()) return null;
  if (before.join() === now.join()) return null;
  if (was.map(inAnyOrder).sort().join() !== is.map(inAnyOrder).sort().join()) return null;
  const after = is.find((list) => !before.includes(inOrder(list)));
  const old = was.find((list) => after && inAnyOrder(list) === inAnyOrder(after));
  if (!after || !old) return null;
  const examples = { before: outline(old), after: outline(after) };
  return { before: 'one order', after: 'the same items in another order', examples };
}

/** A list of a few items is sorted by chance; so many lists are not. */
const chanceMax = 0.001;

/** By some id or time, all known lists were sorted, and the candidate's are not. */
function lostOrder(known: readonly List[], now: readonly List[]): OrderChange | null {
  const fields = new Set(known.flatMap((list) => [...list.columns.keys()]));
  for (const field of fields) {
    for (const direction of [1, -1] as const) {
      const columns = known.map((list) => list.columns.get(field) ?? []);
      const chance = columns.reduce((product, column) => product / orders(column), 1);
      if (chance > chanceMax || !columns.every((column) => isSorted(column, direction))) continue;
      const unsorted = now.find((list) => !isSorted(list.columns.get(field) ?? [], direction));
      if (!unsorted) continue;
      const by = field === '' ? '' : ` by ${field}`;
      const sorted = columns.find((column) => column.length > 1) ?? [];
      const examples = {
        before: sorted.slice(0, shownMax),
        after: unsorted.columns.get(field)?.slice(0, shownMax) ?? null,
      };
      return {
        before: `${direction > 0 ? 'ascending' : 'descending'}${by}`,
        after: `not sorted${by}`,
        examples,
      };
    }
  }
  return null;
}

/** In how many orders the different values of a column can come. */
function orders(column: readonly Sortable[]): number {
  const different = new Set(column).size;
  return Array.from({ length: different }, (_, n) => n + 1).reduce((product, n) => product * n, 1);
}

function isSorted(column: readonly Sortable[], direction: 1 | -1): boolean {
  return column.every((value, index) => {
    const next = column[index + 1];
    if (next === undefined || typeof next !== typeof value) return true;
    return direction > 0 ? value <= next : value >= next;
  });
}

type Sortable = string | number;

/** A list of at least two items. */
interface List {
  /** Each item without ids and times. */
  readonly items: readonly string[];
  /** Ids and times, by the field of the items; those of items that are no objects at ``. */
  readonly columns: ReadonlyMap<string, readonly Sortable[]>;
}

function inOrder({ items }: List): string {
  return JSON.stringify(items);
}

function inAnyOrder({ items }: List): string {
  return JSON.stringify(items.toSorted());
}

const shownMax = 6;

function outline({ items }: List): Json {
  return items.slice(0, shownMax).map((item) => JSON.parse(item) as Json);
}

type Lists = ReadonlyMap<string, readonly List[]>;

/** Cached: each body is compared with those of every other round. */
const listsOf = new WeakMap<object, readonly (readonly [string, List])[]>();

function listsIn(bodies: readonly Json[]): Lists {
  const all = bodies.flatMap((body) => {
    if (typeof body !== 'object' || body === null) return [];
    const known = listsOf.get(body) ?? collect(body, '');
    listsOf.set(body, known);
    return known;
  });
  const groups = Map.groupBy(all, ([place]) => place);
  return new Map([...groups].map(([place, found]) => [place, found.map(([, list]) => list)]));
}

function collect(value: Json, place: string): (readonly [string, List])[] {
  if (Array.isArray(value)) {
    const inside = value.flatMap((item) => collect(item, `${place}[]`));
    return value.length < 2 ? inside : [[place, listOf(value)], ...inside];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    collect(member, place === '' ? fieldName(name) : `${place}.${fieldName(name)}`),
  );
}

function listOf(values: readonly Json[]): List {
  const items = values.map((value) => JSON.stringify(steadyJson(value)));
  const first = values[0] ?? null;
  const names = isJsonObject(first) ? Object.keys(first) : [''];
  const columns = names.flatMap((name) => {
    const column = values.map((value) =>
      name === '' ? value : isJsonObject(value) ? (value[name] ?? null) : null,
    );
    return column.every(isKey) ? [[name, column] as const] : [];
  });
  return { items, columns: new Map(columns) };
}

/** An id or a time: lists are sorted by these, and other values are sorted with them by chance. */
function isKey(value: Json): value is Sortable {
  const isText = typeof value === 'number' || typeof value === 'string';
  return isText && steadyJson(value) !== value;
}
