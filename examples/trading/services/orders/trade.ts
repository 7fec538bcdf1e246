import { randomUUID } from 'node:crypto';
import type { Log } from '../../shared/log.ts';
import { type Audit, MISCLASSIFIED } from './audit.ts';
import type { Quote, RequestQuote } from './pricing-client.ts';
import type { MadeTrade, Trade, TradeStore } from './trade-store.ts';

export type TradeRequest = Pick<Trade, 'symbol' | 'side' | 'quantity' | 'counterparty'>;

export interface TradeDependencies {
  requestQuote: RequestQuote;
  store: TradeStore;
  audit: Audit;
}

/**
 * Prices, validates, audits and records one trade. A trade that fails validation is recorded too.
 */
export async function makeTrade(
  request: TradeRequest,
  context: { requestId: string; log: Log },
  { requestQuote, store, audit }: TradeDependencies,
): Promise<MadeTrade> {
  const id = `trd_${randomUUID()}`;
  const { symbol, quantity, counterparty } = request;
  const quoteRequest = { tradeId: id, symbol, quantity, counterparty };
  const quote = await requestQuote(quoteRequest, context.requestId);
  const verdict = settle(quantity, quote, audit);
  const { price, amount, displayAmount, currency, validation } = quote;
  const { highValue, fraudCheck } = validation;
  const trade = { id, ...request, price, amount, currency, highValue, fraudCheck, ...verdict };
  await store.insert(trade);
  audit.countFailures(trade.reasons);
  if (trade.status !== 'accepted') {
    context.log.warn('trade failed fraud validation', { tradeId: id, reasons: trade.reasons });
  }
  return displayAmount === undefined ? trade : { ...trade, displayAmount };
}

function settle(quantity: number, quote: Quote, audit: Audit): Pick<Trade, 'status' | 'reasons'> {
  const { screening, reasons } = quote.validation;
  if (!audit.agrees(quantity, quote)) {
    return { status: 'validation-failed', reasons: [MISCLASSIFIED] };
  }
  return screening === 'refused' ? { status: 'refused', reasons } : { status: 'accepted', reasons };
}
