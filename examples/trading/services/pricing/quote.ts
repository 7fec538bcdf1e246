import { CURRENCY, priceOf } from './price-book.ts';
import type { Validate, Validation, ValidationRequest } from './validation-client.ts';

export interface QuoteRequest {
  tradeId: string;
  symbol: string;
  quantity: number;
  counterparty: string;
}

export interface Quote {
  tradeId: string;
  symbol: string;
  price: number;
  amount: number;
  currency: string;
}

export type ValidatedQuote = Quote & { validation: Validation };

/** Prices a trade and has it validated, in one step, so that no quote leaves here unvalidated. */
export async function quoteTrade(
  request: QuoteRequest,
  requestId: string,
  validate: Validate,
): Promise<ValidatedQuote> {
  const quote = priceTrade(request);
  const validation = await validate(toValidationRequest(quote, request), requestId);
  return { ...quote, validation };
}

function priceTrade({ tradeId, symbol, quantity }: QuoteRequest): Quote {
  const price = priceOf(symbol);
  const amount = Math.round(quantity * price * 100) / 100;
  return { tradeId, symbol, price, amount, currency: CURRENCY };
}

function toValidationRequest(quote: Quote, request: QuoteRequest): ValidationRequest {
  const { tradeId, amount, currency } = quote;
  return { tradeId, counterparty: request.counterparty, amount, currency };
}
