import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';
import { Refusal } from './refusal.ts';

export interface RefundRequest {
  readonly orderId: string;
  readonly amount: number;
  readonly reason: string;
}

export interface Refund {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly status: 'paid' | 'stuck' | 'cancelled';
}

/**
 * Pays, whatever was paid before: the key is only written down. Whoever asks twice pays twice, so
 * that it can be seen when something in front of this service failed to prevent it.
 */
export async function pay(
  database: Database,
  { orderId, amount, reason }: RefundRequest,
  { key, booked }: { key: string | null; booked: boolean },
): Promise<Refund> {
  const id = `rf_${randomUUID()}`;
  await database.query(
    `INSERT INTO payouts (id, order_id, amount, reason, key, booked)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, orderId, amount, reason, key, booked],
  );
  return { id, orderId, amount, status: booked ? 'paid' : 'stuck' };
}

/** Takes the money back, once more each time it is asked. */
export async function cancel(database: Database, id: string): Promise<Refund> {
  const [refund] = await database.query<{ orderId: string; amount: number }>(
    'SELECT order_id AS "orderId", amount FROM payouts WHERE id = $1',
    [id],
  );
  if (!refund) throw new Refusal(404, 'refund_not_found', `There is no refund "${id}".`);
  await database.query('INSERT INTO cancellations (payout_id) VALUES ($1)', [id]);
  return { id, ...refund, status: 'cancelled' };
}

const byKey = `
  SELECT id, amount, CASE
    WHEN EXISTS (SELECT FROM cancellations WHERE payout_id = payouts.id) THEN 'cancelled'
    WHEN booked THEN 'paid' ELSE 'stuck' END AS status
  FROM payouts WHERE key = $1 ORDER BY seq DESC LIMIT 1`;

/** The last refund that was asked for with this key. */
export async function findByKey(
  database: Database,
  key: string,
): Promise<{ status: 'none' } | Omit<Refund, 'orderId'>> {
  const [refund] = await database.query<Omit<Refund, 'orderId'> & Record<string, unknown>>(byKey, [
    key,
  ]);
  return refund ?? { status: 'none' };
}
