import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClock,
  openSigningKey,
  redactSecrets,
  type SigningKey,
  systemRandom,
} from '../kernel/index.ts';
import type { Draft } from './batch-draft.ts';
import { type Ledger, type LedgerDeps, openLedger } from './ledger.ts';
import type { Projection } from './projection.ts';
import type { Store } from './store.ts';

/** Sums per account: the smallest projection in which a lost or doubled entry shows. */
export const accounts: Projection = {
  kinds: ['money-moved'],
  keys: ({ body }) => [accountKey(String(body.account))],
  apply: (rows, { body }) => {
    const key = accountKey(String(body.account));
    const sum = (rows.get<number>(key) ?? 0) + Number(body.amount);
    rows.set(key, sum === 0 ? undefined : sum);
  },
};

export const accountKey = (account: string): string => `account/${account}`;

export function moveMoney(account: string, amount: number): Draft {
  return { kind: 'money-moved', actor: 'agent:tester', body: { account, amount } };
}

export function note(text: string, subject = 'person:ada'): Draft {
  const contents = [{ name: 'text', subject, value: text }];
  return { kind: 'note-added', actor: 'person:tester', body: {}, contents };
}

let signingKey: SigningKey | undefined;

export function testKey(): SigningKey {
  if (signingKey) return signingKey;
  const directory = mkdtempSync(join(tmpdir(), 'surety-key-'));
  signingKey = openSigningKey(join(directory, 'key.pem'));
  rmSync(directory, { recursive: true });
  return signingKey;
}

export function otherPublicKey(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

export function openTestLedger(store: Store, more: Partial<LedgerDeps> = {}): Promise<Ledger> {
  return openLedger({
    store,
    clock: createClock(),
    random: systemRandom,
    redact: redactSecrets,
    key: testKey(),
    projections: [accounts],
    ...more,
  });
}
