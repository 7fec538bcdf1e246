import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Counter } from '../../shared/metrics.ts';
import type { Database } from '../../shared/postgres.ts';

export interface ChargeRequest {
  /** The same key is charged at most once, as with any card company. */
  idempotencyKey: string;
  amountCents: number;
  token: string;
}

export type Charge = { outcome: 'charged'; chargeId: string } | { outcome: 'declined' };

/** The card company: outside our system, so its books are not part of our transactions. */
export type Processor = (request: ChargeRequest) => Promise<Charge>;

const SLOW_MS = 400;
const ACCEPTED = new Set(['tok_test_valid', 'tok_test_slow']);

/** Stands in for the card company and knows three cards: valid, slow, and (any other) declined. */
export function createTestProcessor(books: Database, calls: Counter): Processor {
  return async ({ idempotencyKey, amountCents, token }) => {
    calls.add({ outcome: ACCEPTED.has(token) ? 'charged' : 'declined' });
    if (token === 'tok_test_slow') await sleep(SLOW_MS);
    if (!ACCEPTED.has(token)) return { outcome: 'declined' };
    await books.query(
      `INSERT INTO processor_charges (idempotency_key, charge_id, amount_cents)
       VALUES ($1, $2, $3) ON CONFLICT (idempotency_key) DO NOTHING`,
      [idempotencyKey, `ch_${randomUUID()}`, amountCents],
    );
    const [row] = await books.query<{ charge_id: string }>(
      'SELECT charge_id FROM processor_charges WHERE idempotency_key = $1',
      [idempotencyKey],
    );
    return { outcome: 'charged', chargeId: row?.charge_id ?? '' };
  };
}
