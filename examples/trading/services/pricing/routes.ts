import { countField, textField } from '../../shared/fields.ts';
import type { JsonObject } from '../../shared/json-body.ts';
import type { Route } from '../../shared/route.ts';
import { type QuoteRequest, quoteTrade } from './quote.ts';
import type { Validate } from './validation-client.ts';

const QUANTITY_MAX = 1_000_000;

export function pricingRoutes(validate: Validate): Route[] {
  return [
    {
      method: 'POST',
      path: '/quotes',
      handle: async ({ json, requestId }) => {
        const quote = await quoteTrade(toQuoteRequest(await json()), requestId, validate);
        return { status: 200, body: quote };
      },
    },
  ];
}

function toQuoteRequest(body: JsonObject): QuoteRequest {
  return {
    tradeId: textField(body, 'tradeId'),
    symbol: textField(body, 'symbol'),
    quantity: countField(body, 'quantity', QUANTITY_MAX),
    counterparty: textField(body, 'counterparty'),
  };
}
