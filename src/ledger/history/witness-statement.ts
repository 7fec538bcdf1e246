import { canonicalJson, type JsonObject, tryOr } from '../../kernel/index.ts';
import type { Anchor } from '../anchor.ts';
import { type Checkpoint, isCheckpoint } from '../checkpoint.ts';

/** "The ledger of this workspace ended here": a checkpoint for somebody outside to keep. */
export interface WitnessStatement extends Checkpoint {
  readonly workspace: string;
}

/** One line. Its SHA-256 is what a time-stamp service signs. */
export function formatStatement({
  workspace,
  seq,
  at,
  hash,
  keyId,
  signature,
}: WitnessStatement): string {
  return canonicalJson({ workspace, seq, at, hash, keyId, signature });
}

/** Null for anything else, such as a note that a person wrote. */
export function parseStatement(text: string): WitnessStatement | null {
  const found = tryOr(() => JSON.parse(text) as JsonObject & WitnessStatement, null);
  if (found === null || typeof found !== 'object') return null;
  return typeof found.workspace === 'string' && isCheckpoint(found) ? found : null;
}

export function statementAnchor({ seq, at, hash }: WitnessStatement, source: string): Anchor {
  return { seq, at, hash, source };
}
