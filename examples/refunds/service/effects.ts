import type { Database } from './database.ts';

export interface Effects {
  readonly payouts: number;
  readonly cancellations: number;
}

/** What really happened to each order, for whoever wants to be sure that it happened once. */
export async function countEffects(database: Database): Promise<Record<string, Effects>> {
  const rows = await database.query<{ id: string; payouts: number; cancellations: number }>(`
    SELECT orders.id, count(DISTINCT payouts.id) AS payouts,
      count(cancellations.seq) AS cancellations
    FROM orders
    LEFT JOIN payouts ON payouts.order_id = orders.id
    LEFT JOIN cancellations ON cancellations.payout_id = payouts.id
    GROUP BY orders.id ORDER BY orders.id`);
  return Object.fromEntries(
    rows.map(({ id, payouts, cancellations }) => [id, { payouts, cancellations }]),
  );
}
