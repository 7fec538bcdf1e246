import { bodyOrThrow, type ServiceClient } from '../../shared/http-client.ts';

export type FeeOf = (amount: number, requestId: string) => Promise<number>;

export function createFeeOf(call: ServiceClient): FeeOf {
  return async (amount, requestId) => {
    const answer = await call({ method: 'POST', path: '/fees', body: { amount }, requestId });
    return bodyOrThrow('fees', answer).fee as number;
  };
}
