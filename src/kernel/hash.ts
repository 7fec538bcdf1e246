import { hash } from 'node:crypto';

/** SHA-256 as 64 hexadecimal characters: the only hash in Surety. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** What stands before the first entry of a chain. */
export const zeroHash: string = '0'.repeat(64);
