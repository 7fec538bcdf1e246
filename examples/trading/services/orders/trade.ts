import { randomUUID } from 'node:crypto';
import type { Announce } from '../../shared/events.ts';
import type { Log } from '../../shared/log.ts';
import { type Audit, MISCLASSIFIED } from './audit.ts';
import type { FeeOf } from './fees-client.ts';
import type { Quote, RequestQuote } from './pricing-client.ts';
import type { CheckLimit } from './risk-client.ts';
import type { MadeTrade, Trade, TradeStore } from './trade-store.ts';

export type TradeRequest = Pick<Trade, 'symbol' | 'side' | 'quantity' | 'counterparty'>;

export interface TradeDependencies {
  requestQuote: RequestQuote;
  store: TradeStore;
  audit: Audit;
}

/** What a platform may also have; without them a trade has no limit and costs nothing. */
export interface TradeSurroundings {
  checkLimit?: CheckLimit;
  feeOf?: FeeOf;
  announce?: Announce;
}

interface Context {
  requestId: string;
  log: Log;
}

/**
 * Prices, validates, audits and records one trade. A trade that fails validation is recorded too.
 */
export async function makeTrade(
  request: TradeRequest,
  context: Context,
  { requestQuote, store, audit, ...around }: TradeDependencies & TradeSurroundings,
): Promise<MadeTrade> {
  const id = `trd_${randomUUID()}`;
  const { symbol, quantity, counterparty } = request;
  const quoteRequest = { tradeId: id, symbol, quantity, counterparty };
  const quote = await requestQuote(quoteRequest, context.requestId);
  const { price, amount, displayAmount, currency, validation } = quote;
  const limit = await around.checkLimit?.({ counterparty, amount });
  const verdict = limit?.isWithin === false ? OVER_LIMIT : settle(quantity, quote, audit);
  const { highValue, fraudCheck } = validation;
  const trade = { id, ...request, price, amount, currency, highValue, fraudCheck, ...verdict };
  await store.insert(trade);
  audit.countFailures(trade.reasons);
  if (trade.status !== 'accepted') {
    context.log.warn('trade failed fraud validation', { tradeId: id, reasons: trade.reasons });
  }
  const isMade = trade.status === 'accepted';
  const fee = isMade ? await around.feeOf?.(amount, context.requestId) : undefined;
  around.announce?.({ subject: 'trades.made', id, symbol, quantity, status: trade.status });
  return {
    ...trade,
    ...(displayAmount === undefined ? {} : { displayAmount }),
    ...(fee === undefined ? {} : { fee }),
  };
}

const OVER_LIMIT: Pick<Trade, 'status' | 'reasons'> = {
  status: 'refused',
  reasons: ['over-limit'],
};

function settle(quantity: number, quote: Quote, audit: Audit): Pick<Trade, 'status' | 'reasons'> {
  const { screening, reasons } = quote.validation;
  if (!audit.agrees(quantity, quote)) {
    return { status: 'validation-failed', reasons: [MISCLASSIFIED] };
  }
  return screening === 'refused' ? { status: 'refused', reasons } : { status: 'accepted', reasons };
}
