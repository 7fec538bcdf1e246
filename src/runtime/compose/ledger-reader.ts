import type { StoreReader } from '../../ledger/index.ts';
import { loadConfig } from '../load-config.ts';
import type { WorkspacePlace } from '../place.ts';
import { openReader } from './open-store.ts';

/** Reads the ledger's store directly, whether a daemon runs or not. */
export function openLedgerReader(place: WorkspacePlace): Promise<StoreReader> {
  return openReader(place, loadConfig(place));
}
