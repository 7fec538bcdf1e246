import type { Order } from './service/orders.ts';

const currency = 'EUR';

/** One order for each side of what the refund's contract asks: delivered or not, small or large. */
export const exampleOrders = [
  { id: 'ord_placed', status: 'placed', total: 4_500, currency },
  { id: 'ord_shipped', status: 'shipped', total: 12_900, currency },
  { id: 'ord_small', status: 'delivered', total: 4_500, currency },
  { id: 'ord_at_threshold', status: 'delivered', total: 10_000, currency },
  { id: 'ord_large', status: 'delivered', total: 25_000, currency },
  { id: 'ord_busy', status: 'delivered', total: 2_500, currency },
  { id: 'ord_late', status: 'delivered', total: 3_300, currency },
  { id: 'ord_fragile', status: 'delivered', total: 7_900, currency },
] as const satisfies readonly Order[];
