import type { Database } from './database.ts';
import { Refusal } from './refusal.ts';

/** Amounts are whole minor units: 4500 is 45.00 EUR. */
export interface Order {
  readonly id: string;
  readonly status: 'placed' | 'shipped' | 'delivered';
  readonly total: number;
  readonly currency: string;
}

/** A payout that could not be booked is missing from `refunded`: the money left all the same. */
const find = `
  SELECT id, status, total, currency, coalesce((
    SELECT sum(amount)::bigint FROM payouts
    WHERE order_id = orders.id AND booked
      AND NOT EXISTS (SELECT FROM cancellations WHERE payout_id = payouts.id)
  ), 0) AS refunded
  FROM orders WHERE id = $1`;

export async function findOrder(
  database: Database,
  id: string,
): Promise<Order & { readonly refunded: number }> {
  const [order] = await database.query<Order & { refunded: number } & Record<string, unknown>>(
    find,
    [id],
  );
  if (!order) throw new Refusal(404, 'order_not_found', `There is no order "${id}".`);
  return order;
}

/** Adds those that are not there yet. */
export async function addOrders(database: Database, orders: readonly Order[]): Promise<void> {
  for (const { id, status, total, currency } of orders) {
    await database.query('INSERT INTO orders VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING', [
      id,
      status,
      total,
      currency,
    ]);
  }
}
