import type { Database, Row } from '../../shared/postgres.ts';

export interface OrderItem {
  sku: string;
  quantity: number;
}

export interface Order {
  id: string;
  items: OrderItem[];
  totalCents: number;
  status: 'open' | 'paid' | 'cancelled';
  chargeId: string | null;
  createdAt: Date;
}

export interface OrderStore {
  insert(order: { id: string; items: OrderItem[]; totalCents: number }): Promise<Order>;
  find(id: string): Promise<Order | undefined>;
  markPaid(id: string, chargeId: string): Promise<void>;
}

const COLUMNS = `id, items, total_cents AS "totalCents", status, charge_id AS "chargeId",
  created_at AS "createdAt"`;

export function createOrderStore(database: Database): OrderStore {
  return {
    async insert({ id, items, totalCents }) {
      const [row] = await database.query<Order & Row>(
        `INSERT INTO orders (id, items, total_cents) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
        [id, JSON.stringify(items), totalCents],
      );
      return row as Order;
    },
    async find(id) {
      const sql = `SELECT ${COLUMNS} FROM orders WHERE id = $1`;
      const [row] = await database.query<Order & Row>(sql, [id]);
      return row;
    },
    async markPaid(id, chargeId) {
      const sql = `UPDATE orders SET status = 'paid', charge_id = $2 WHERE id = $1`;
      await database.query(sql, [id, chargeId]);
    },
  };
}
