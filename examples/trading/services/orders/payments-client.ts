import { bodyOrThrow, type ServiceClient } from '../../shared/http-client.ts';

export interface PaymentRequest {
  orderId: string;
  amount: number;
  method: 'card';
  token: string;
}

export interface CompletedPayment {
  status: 'completed';
  charge_id: string;
}

export type Pay = (request: PaymentRequest, requestId: string) => Promise<CompletedPayment>;

export function createPay(call: ServiceClient): Pay {
  return async (request, requestId) => {
    const answer = await call({ method: 'POST', path: '/payments', body: request, requestId });
    return bodyOrThrow('payments', answer) as unknown as CompletedPayment;
  };
}
