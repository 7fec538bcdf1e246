import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../../kernel/index.ts';
import type { Retention } from './retention.ts';
import { openStore, type StoreOptions, type TelemetryStore } from './store.ts';

export interface TestStore {
  readonly store: TelemetryStore;
  readonly directory: string;
  remove(): Promise<void>;
}

/** As much as a test writes. */
export const testRetention: Retention = { ms: 3_600_000, bytes: 1024 ** 3 };

/** A store in a directory of its own. */
export function openTestStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  return openAt(mkdtempSync(join(tmpdir(), 'surety-telemetry-')), options);
}

/** The same store, closed and opened again; with what happened to its files in between. */
export async function reopened(scene: TestStore, between?: () => void): Promise<TestStore> {
  await scene.store.close();
  between?.();
  return openAt(scene.directory, {});
}

async function openAt(directory: string, options: Partial<StoreOptions>): Promise<TestStore> {
  const store = await openStore(directory, {
    clock: createClock(),
    retention: testRetention,
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
