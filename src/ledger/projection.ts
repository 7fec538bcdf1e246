import { fault, type Json } from '../kernel/index.ts';
import type { Entry } from './api-schema.ts';

/** State is rows; a row is what the entries so far say about its key. */
export interface Row {
  readonly key: string;
  /** Canonical JSON. */
  readonly value: string;
}

/** A row to be written; null removes it. */
export interface RowChange {
  readonly key: string;
  readonly value: string | null;
}

export interface ReadRows {
  get<Value extends Json>(key: string): Value | undefined;
}

export interface Rows extends ReadRows {
  set(key: string, value: Json | undefined): void;
}

/**
 * How one feature keeps state: from the entry alone, so that all rows can be made again from the
 * chain. `keys` names every row that `apply` will touch.
 */
export interface Projection {
  readonly kinds: readonly string[];
  keys(entry: Entry): readonly string[];
  apply(rows: Rows, entry: Entry): void;
}

/** Every projection by the kind of entry it listens to. */
export class Projections {
  readonly #byKind = new Map<string, Projection[]>();

  constructor(projections: readonly Projection[]) {
    for (const projection of projections) {
      for (const kind of projection.kinds) {
        this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), projection]);
      }
    }
  }

  keys(entry: Entry): string[] {
    return this.#of(entry).flatMap((projection) => projection.keys(entry));
  }

  apply(rows: Rows, entry: Entry): void {
    for (const projection of this.#of(entry)) projection.apply(rows, entry);
  }

  listensTo(kind: string): boolean {
    return this.#byKind.has(kind);
  }

  #of(entry: Entry): readonly Projection[] {
    return this.#byKind.get(entry.kind) ?? [];
  }
}

const keyPattern = /^[\x21-\x7e]{1,400}$/;

/** Keys must mean the same bytes in every store: printable ASCII, nothing to collate or escape. */
export function checkRowKey(key: string): void {
  if (keyPattern.test(key)) return;
  throw fault('JSON_INVALID', { reason: `"${key.slice(0, 60)}" is not a key for a row` });
}
