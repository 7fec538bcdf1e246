import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../kernel/index.ts';

/** Where a client gets the proof, before it sends its token on the same connection. */
export const proofPath = '/v1/proof';

/** What a client sends in place of its token: enough to find the token, not to act with it. */
export interface ProofRequest {
  readonly tokenHash: string;
  readonly nonce: string;
}

/** One end of a connection. */
export interface ConnectionEnd {
  readonly address: string;
  readonly port: number;
}

/**
 * Only somebody who knows the token can compute it. It names the end of the connection, so that a
 * program elsewhere on this machine cannot get its proof from the real daemon.
 */
export function proofOf(token: string, nonce: string, { address, port }: ConnectionEnd): string {
  const text = `surety-daemon-proof\n${address}\n${port}\n${nonce}`;
  return createHmac('sha256', token).update(text).digest('hex');
}

export function isSameProof(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
}
