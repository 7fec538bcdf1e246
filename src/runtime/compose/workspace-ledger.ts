import {
  type Clock,
  type Log,
  openSigningKey,
  redactSecrets,
  systemRandom,
  toFault,
} from '../../kernel/index.ts';
import { type Ledger, openLedger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { checkNotEmptied, openStore } from './open-store.ts';
import { projections } from './projections.ts';

/** The ledger of a directory, for the one process that holds its lock. */
export async function openWorkspaceLedger(
  place: WorkspacePlace,
  config: Config,
  clock: Clock,
  log: Log,
): Promise<Ledger> {
  const key = openSigningKey(place.keyFile);
  checkNotEmptied(place);
  const store = await openStore(place, config);
  const onCheckpointError = (error: unknown): void =>
    log('error', 'checkpoint-failed', shown(error));
  try {
    return await openLedger({
      store,
      clock,
      random: systemRandom,
      redact: redactSecrets,
      key,
      projections,
      onCheckpointError,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** An error as it appears in a log. */
export function shown(error: unknown): Record<string, string> {
  const { code, message, remedy } = toFault(error);
  return { code, message, remedy };
}
