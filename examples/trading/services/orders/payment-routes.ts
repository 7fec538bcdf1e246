import type { Announce } from '../../shared/events.ts';
import { oneOfField, textField } from '../../shared/fields.ts';
import { HttpError } from '../../shared/http-error.ts';
import type { Route } from '../../shared/route.ts';
import { findOrder } from './order-routes.ts';
import type { OrderStore } from './order-store.ts';
import type { Pay } from './payments-client.ts';

export function paymentRoutes(store: OrderStore, pay: Pay, announce?: Announce): Route[] {
  return [
    {
      method: 'POST',
      path: '/orders/:id/payment',
      handle: async ({ params, json, requestId }) => {
        const body = await json();
        const method = oneOfField(body, 'method', ['card']);
        const token = textField(body, 'token');
        const { id, totalCents, status } = await findOrder(store, params.id);
        if (status === 'cancelled') {
          throw new HttpError(409, 'order_cancelled', `Order "${id}" was cancelled.`);
        }
        // Also for a paid order: payments knows the charge and answers a retry with the same one.
        const request = { orderId: id, amount: totalCents / 100, method, token };
        const payment = await pay(request, requestId);
        await store.markPaid(id, payment.charge_id);
        if (status === 'open') announce?.({ subject: 'orders.paid', id, total: totalCents / 100 });
        return { status: 200, body: payment };
      },
    },
  ];
}
