import { canonicalJson, type SigningKey, type VerifyingKey } from '../kernel/index.ts';
import type { Head } from './api-schema.ts';

/** "At this time the chain ended here", signed: what it covers can no longer be rewritten. */
export interface Checkpoint {
  readonly seq: number;
  readonly at: number;
  readonly hash: string;
  readonly keyId: string;
  readonly signature: string;
}

export function signCheckpoint(workspace: string, head: Head, key: SigningKey): Checkpoint {
  const { seq, at, hash } = head;
  return { seq, at, hash, keyId: key.id, signature: key.sign(statement(workspace, head)) };
}

export function isSignedBy(key: VerifyingKey, workspace: string, checkpoint: Checkpoint): boolean {
  return key.verify(statement(workspace, checkpoint), checkpoint.signature);
}

/** The first line keeps the signature from being taken for one over anything else. */
function statement(workspace: string, { seq, at, hash }: Head): string {
  return `surety checkpoint v1\n${canonicalJson({ workspace, seq, at, hash })}`;
}

/** Whether something read from a file has the shape of one. */
export function isCheckpoint({ seq, at, hash, keyId, signature }: Checkpoint): boolean {
  const isPlace = Number.isSafeInteger(seq) && seq > 0 && Number.isSafeInteger(at);
  return isPlace && [hash, keyId, signature].every((text) => typeof text === 'string');
}
