import { type Ledger, MemoryRows } from '../../ledger/index.ts';

/** The current rows of the ledger with changes that are never written. */
export class LoadedRows extends MemoryRows {
  readonly #ledger: Ledger;
  readonly #known = new Set<string>();

  constructor(ledger: Ledger) {
    super();
    this.#ledger = ledger;
  }

  /** Loads missing keys; all of one call are from the same moment. */
  async load(keys: readonly string[]): Promise<void> {
    const missing = [...new Set(keys)].filter((key) => !this.#known.has(key));
    if (missing.length === 0) return;
    const found = await this.#ledger.transact({
      keys: missing,
      decide: (rows) => ({ drafts: [], result: () => missing.map((key) => rows.get(key)) }),
    });
    missing.forEach((key, index) => {
      this.#known.add(key);
      this.set(key, found[index]);
    });
  }
}
