import { badCase } from './bad-case.ts';
import { csvRows } from './csv-rows.ts';
import { rankLimits } from './limits.ts';
import type { Series } from './series.ts';

export type NamedRow = (column: string) => string;

/** Rows by the names of their columns; the first of the given names that the file has. */
export async function* namedRows(
  file: string,
  columns: Readonly<Record<string, readonly string[]>>,
  rowsMax: number = rankLimits.rankRowsMax,
): AsyncGenerator<NamedRow> {
  const rows = csvRows(file);
  const header: readonly string[] = (await rows.next()).value ?? [];
  const places = new Map(
    Object.entries(columns).map(([name, known]) => {
      const found = known.find((column) => header.includes(column));
      if (found === undefined) throw badCase(file, `it has no column ${known.join(' or ')}`);
      return [name, header.indexOf(found)];
    }),
  );
  let count = 0;
  for await (const row of rows) {
    if (++count > rowsMax) {
      throw badCase(file, `it has more than ${rowsMax} rows`);
    }
    yield (column) => row[places.get(column) ?? -1] ?? '';
  }
}

/** Sums by service and moment, as series. A moment without anything counts as 0. */
export class BucketSums {
  readonly #file: string;
  readonly #seconds: number;
  readonly #sums = new Map<string, Map<number, number>>();
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** The sums of a file, each of so many seconds. */
  constructor(file: string, seconds: number) {
    this.#file = file;
    this.#seconds = seconds;
  }

  add(service: string, time: number, amount: number): void {
    const bucket = Math.floor(time / this.#seconds);
    const sums = this.#sums.get(service) ?? new Map<number, number>();
    sums.set(bucket, (sums.get(bucket) ?? 0) + amount);
    this.#sums.set(service, sums);
    this.#first = Math.min(this.#first, bucket);
    this.#last = Math.max(this.#last, bucket);
  }

  series(metric: string, by?: BucketSums): Series[] {
    const count = Math.max(0, this.#last - this.#first + 1);
    const max = rankLimits.rankMomentsMax;
    if (count > max)
      throw badCase(this.#file, `its rows are more than ${max * this.#seconds} s apart`);
    const buckets = Array.from({ length: count }, (_, index) => this.#first + index);
    const times = buckets.map((bucket) => bucket * this.#seconds);
    return [...this.#sums].map(([service, sums]) => {
      const counts = by ? by.#sums.get(service) : undefined;
      const values = buckets.map(
        (bucket) => (sums.get(bucket) ?? 0) / (by ? (counts?.get(bucket) ?? 1) : 1),
      );
      return { service, metric, times, values };
    });
  }
}
