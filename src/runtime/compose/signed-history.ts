import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toFault } from '../../kernel/index.ts';
import {
  type Anchor,
  findDivergence,
  type SignedHead,
  signedHeadFile,
} from '../../ledger/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { checkNotLost, openReader } from './open-store.ts';

/** The last head that the daemon of this directory signed, for the workspace in `config`. */
export function openSignedHead(place: WorkspacePlace, { workspace }: Config): SignedHead {
  return signedHeadFile(join(place.heads, `${workspace}.json`));
}

/** The same as an anchor for a verification. */
export function signedAnchors(place: WorkspacePlace, config: Config): Anchor[] {
  const signed = openSignedHead(place, config).read();
  if (!signed) return [];
  const { seq, at, hash, keyId } = signed;
  return [{ seq, at, hash, keyId, source: 'the signed head in .surety/heads' }];
}

/** Why a daemon would refuse to start on this ledger, in words; null if it would not. */
export async function findLoss(place: WorkspacePlace, config: Config): Promise<string | null> {
  const signedHead = openSignedHead(place, config);
  try {
    const isSqlite = config.ledger.store === 'sqlite';
    if (isSqlite) checkNotLost(place, signedHead);
    const signed = signedHead.read();
    if (!signed || (isSqlite && !existsSync(place.ledgerFile))) return null;
    const reader = await openReader(place, config);
    const found = await findDivergence(reader, signed, await reader.head()).finally(() =>
      reader.close(),
    );
    return found?.detail ?? null;
  } catch (error) {
    return toFault(error).message;
  }
}
