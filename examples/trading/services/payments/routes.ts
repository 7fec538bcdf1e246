import { centsField, oneOfField, textField } from '../../shared/fields.ts';
import { HttpError } from '../../shared/http-error.ts';
import type { Metrics } from '../../shared/metrics.ts';
import type { Route } from '../../shared/route.ts';
import { pay } from './pay.ts';
import type { PaymentStore } from './payment-store.ts';
import type { Processor } from './processor.ts';

export function paymentRoutes(store: PaymentStore, charge: Processor, metrics: Metrics): Route[] {
  const payments = metrics.counter('payments_total', 'Payments asked for, by result.');
  for (const status of ['completed', 'declined']) payments.add({ status }, 0);
  return [
    {
      method: 'POST',
      path: '/payments',
      handle: async ({ json, log }) => {
        const body = await json();
        oneOfField(body, 'method', ['card']);
        const request = {
          orderId: textField(body, 'orderId'),
          amountCents: centsField(body, 'amount'),
          token: textField(body, 'token'),
        };
        const { status, chargeId } = await pay(request, store, charge);
        payments.add({ status });
        log.info('payment handled', { orderId: request.orderId, status, chargeId });
        if (status === 'declined') throw new HttpError(402, 'declined', 'The card was declined.');
        return { status: 200, body: { status, charge_id: chargeId } };
      },
    },
  ];
}
