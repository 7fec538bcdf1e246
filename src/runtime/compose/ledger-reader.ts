import type { StoreReader } from '../../ledger/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { openReader } from './open-store.ts';

/** Reads the ledger where it lies: whether a daemon runs, or ever will again, does not matter. */
export function openLedgerReader(place: WorkspacePlace): Promise<StoreReader> {
  return openReader(place, loadConfig(place));
}
