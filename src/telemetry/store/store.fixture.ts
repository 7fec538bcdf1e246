import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../kernel/index.ts';
import { openStore, type Store, type StoreOptions } from './store.ts';

export interface TestStore {
  readonly store: Store;
  readonly directory: string;
  remove(): Promise<void>;
}

/** A store in a directory of its own. */
export async function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-telemetry-'));
  const store = await openStore(directory, {
    clock: createClock(),
    retention: { ms: 3_600_000, bytes: 64 * 1024 * 1024 },
    ...options,
  });
  return {
    store,
    directory,
    remove: async () => {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
