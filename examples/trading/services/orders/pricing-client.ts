import { bodyOrThrow, type ServiceClient } from '../../shared/http-client.ts';

export interface QuoteRequest {
  tradeId: string;
  symbol: string;
  quantity: number;
  counterparty: string;
}

/** A price, and what validation said about the trade at that price. */
export interface Quote {
  price: number;
  amount: number;
  /** The amount as printed on statements, if pricing gives it: 15,000.00. */
  displayAmount?: string;
  currency: string;
  validation: {
    highValue: boolean;
    fraudCheck: 'required' | 'not-required';
    screening: 'passed' | 'refused' | 'skipped';
    reasons: string[];
  };
}

export type RequestQuote = (request: QuoteRequest, requestId: string) => Promise<Quote>;

export function createRequestQuote(call: ServiceClient): RequestQuote {
  return async (request, requestId) => {
    const answer = await call({ method: 'POST', path: '/quotes', body: request, requestId });
    return bodyOrThrow('pricing', answer) as unknown as Quote;
  };
}
