import {
  type Clock,
  type Log,
  openSigningKey,
  redactSecrets,
  systemRandom,
  toFault,
} from '../../kernel/index.ts';
import { type Ledger, type LedgerDeps, openLedger } from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { checkNotLost, openStore } from './open-store.ts';
import { projections } from './projections.ts';
import { openSignedHead } from './signed-history.ts';

/** The ledger of a directory, for the one process that holds its lock. */
export async function openWorkspaceLedger(
  place: WorkspacePlace,
  config: Config,
  clock: Clock,
  log: Log,
  acknowledgement?: LedgerDeps['acknowledgement'],
): Promise<Ledger> {
  const key = openSigningKey(place.keyFile);
  const signedHead = openSignedHead(place, config);
  if (!acknowledgement && config.ledger.store === 'sqlite') checkNotLost(place, signedHead);
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
      signedHead,
      ...(acknowledgement ? { acknowledgement } : {}),
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
