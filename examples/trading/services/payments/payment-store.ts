import type { Database, Postgres } from '../../shared/postgres.ts';

export interface Payment {
  orderId: string;
  amountCents: number;
  status: 'pending' | 'completed' | 'declined';
  chargeId: string | null;
}

export interface LockedPayment {
  payment: Payment;
  save(status: Payment['status'], chargeId: string | null): Promise<void>;
}

export interface PaymentStore {
  /** Runs `work` while no other request can see or change this order's payment. */
  withPayment<T>(
    orderId: string,
    amountCents: number,
    work: (locked: LockedPayment) => Promise<T>,
  ): Promise<T>;
}

export function createPaymentStore(postgres: Postgres): PaymentStore {
  return {
    withPayment: (orderId, amountCents, work) =>
      postgres.transaction(async (database) => {
        const payment = await lockPayment(database, orderId, amountCents);
        return work({ payment, save: (...to) => savePayment(database, orderId, ...to) });
      }),
  };
}

async function lockPayment(database: Database, orderId: string, amountCents: number) {
  // A concurrent insert of the same order waits here until the first one's transaction ends.
  await database.query(
    `INSERT INTO payments (order_id, amount_cents, status) VALUES ($1, $2, 'pending')
     ON CONFLICT (order_id) DO NOTHING`,
    [orderId, amountCents],
  );
  const [row] = await database.query<Payment & Record<string, unknown>>(
    `SELECT order_id AS "orderId", amount_cents AS "amountCents", status, charge_id AS "chargeId"
     FROM payments WHERE order_id = $1 FOR UPDATE`,
    [orderId],
  );
  return row as Payment;
}

async function savePayment(
  database: Database,
  orderId: string,
  status: Payment['status'],
  chargeId: string | null,
): Promise<void> {
  await database.query(
    'UPDATE payments SET status = $2, charge_id = $3, updated_at = now() WHERE order_id = $1',
    [orderId, status, chargeId],
  );
}
