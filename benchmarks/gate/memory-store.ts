import { zeroHash } from '../../src/kernel/index.ts';
import type { Store } from '../../src/ledger/index.ts';

type Batch = Parameters<Awaited<ReturnType<Store['begin']>>['commit']>[0];

/** A ledger that ends with the process: what is left of the cost when nothing waits for a disk. */
export class MemoryStore implements Pick<Store, 'workspace' | 'begin'> {
  readonly workspace = 'bench';
  readonly rows = new Map<string, string>();
  entries = 0;
  #head = { seq: 0, at: 0, hash: zeroHash };

  async begin(keys: readonly string[]): ReturnType<Store['begin']> {
    return {
      head: this.#head,
      rows: this.#load(keys),
      load: async (more) => this.#load(more),
      hashAt: async () => undefined,
      commit: async (batch) => this.#commit(batch),
      rollback: async () => undefined,
    };
  }

  #load(keys: readonly string[]) {
    return keys.flatMap((key) => {
      const value = this.rows.get(key);
      return value === undefined ? [] : [{ key, value }];
    });
  }

  #commit({ entries, rows }: Batch): void {
    for (const { key, value } of rows) {
      if (value === null) this.rows.delete(key);
      else this.rows.set(key, value);
    }
    this.entries += entries.length;
    const { seq, at, hash } = entries.at(-1) as (typeof entries)[number];
    this.#head = { seq, at, hash };
  }

  /** Everything else that a ledger asks of a store, of which there is nothing here. */
  asStore(): Store {
    const nobody = async function* <Item>(): AsyncGenerator<readonly Item[]> {};
    const { workspace, rows } = this;
    return {
      workspace,
      begin: (keys) => this.begin(keys),
      head: async () => this.#head,
      addCheckpoint: async () => undefined,
      onAppend: () => () => undefined,
      scanEntries: nobody,
      scanContents: nobody,
      async *scanRows(prefix) {
        yield [...rows]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => ({ key, value }));
      },
      entries: async () => [],
      contents: async () => [],
      checkpoints: async () => [],
      damage: async () => null,
      close: async () => undefined,
    };
  }
}
