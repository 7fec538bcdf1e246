import { randomUUID } from 'node:crypto';
import type { Announce } from '../../shared/events.ts';
import { centsField, countField, invalid, textField } from '../../shared/fields.ts';
import { notFound } from '../../shared/http-error.ts';
import type { JsonObject } from '../../shared/json-body.ts';
import type { Route } from '../../shared/route.ts';
import type { Order, OrderItem, OrderStore } from './order-store.ts';

const ITEMS_MAX = 100;
const QUANTITY_MAX = 10_000;

export function orderRoutes(store: OrderStore, announce?: Announce): Route[] {
  return [
    {
      method: 'POST',
      path: '/orders',
      handle: async ({ json }) => {
        const body = await json();
        const items = itemsField(body);
        const totalCents = centsField(body, 'total');
        const order = await store.insert({ id: `ord_${randomUUID()}`, items, totalCents });
        announce?.({ subject: 'orders.received', id: order.id, total: totalCents / 100 });
        return { status: 201, body: orderView(order) };
      },
    },
    {
      method: 'GET',
      path: '/orders/:id',
      handle: async ({ params }) => {
        const order = await findOrder(store, params.id);
        return { status: 200, body: orderView(order) };
      },
    },
  ];
}

export async function findOrder(store: OrderStore, id = ''): Promise<Order> {
  const order = /^ord_[\w-]+$/.test(id) ? await store.find(id) : undefined;
  if (!order) throw notFound('order', id);
  return order;
}

function itemsField(body: JsonObject): OrderItem[] {
  const { items } = body;
  if (!Array.isArray(items) || items.length < 1 || items.length > ITEMS_MAX) {
    throw invalid('items', `a list of 1 to ${ITEMS_MAX} items`);
  }
  return items.map((item: JsonObject | null) => ({
    sku: textField(item ?? {}, 'sku'),
    quantity: countField(item ?? {}, 'quantity', QUANTITY_MAX),
  }));
}

function orderView({ id, items, totalCents, status, chargeId, createdAt }: Order) {
  return { id, items, total: totalCents / 100, status, charge_id: chargeId, createdAt };
}
