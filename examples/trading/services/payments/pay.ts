import type { PaymentStore } from './payment-store.ts';
import type { Processor } from './processor.ts';

export interface PaymentRequest {
  orderId: string;
  amountCents: number;
  token: string;
}

export type PaymentResult =
  | { status: 'completed'; chargeId: string }
  | { status: 'declined'; chargeId: null };

/** Pays an order once, however often and however concurrently it is asked for. */
export function pay(
  { orderId, amountCents, token }: PaymentRequest,
  store: PaymentStore,
  charge: Processor,
): Promise<PaymentResult> {
  return store.withPayment(orderId, amountCents, async ({ payment, save }) => {
    if (payment.status === 'completed' && payment.chargeId) {
      return { status: 'completed', chargeId: payment.chargeId };
    }
    // The order is the key: if we die before our commit, the next attempt finds the same charge.
    const result = await charge({ idempotencyKey: orderId, amountCents, token });
    if (result.outcome === 'declined') {
      await save('declined', null);
      return { status: 'declined', chargeId: null };
    }
    await save('completed', result.chargeId);
    return { status: 'completed', chargeId: result.chargeId };
  });
}
