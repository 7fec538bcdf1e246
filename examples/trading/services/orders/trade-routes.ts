import { countField, oneOfField, textField } from '../../shared/fields.ts';
import { notFound } from '../../shared/http-error.ts';
import type { JsonObject } from '../../shared/json-body.ts';
import type { Route } from '../../shared/route.ts';
import {
  makeTrade,
  type TradeDependencies,
  type TradeRequest,
  type TradeSurroundings,
} from './trade.ts';

const QUANTITY_MAX = 1_000_000;

export function tradeRoutes(dependencies: TradeDependencies & TradeSurroundings): Route[] {
  return [
    {
      method: 'POST',
      path: '/trades',
      handle: async ({ json, requestId, log }) => {
        const request = toTradeRequest(await json());
        const trade = await makeTrade(request, { requestId, log }, dependencies);
        return { status: 201, body: trade };
      },
    },
    {
      method: 'GET',
      path: '/trades/:id',
      handle: async ({ params }) => {
        const id = params.id ?? '';
        const trade = /^trd_[\w-]+$/.test(id) ? await dependencies.store.find(id) : undefined;
        if (!trade) throw notFound('trade', id);
        return { status: 200, body: trade };
      },
    },
  ];
}

function toTradeRequest(body: JsonObject): TradeRequest {
  return {
    symbol: textField(body, 'symbol'),
    side: oneOfField(body, 'side', ['buy', 'sell']),
    quantity: countField(body, 'quantity', QUANTITY_MAX),
    counterparty: textField(body, 'counterparty'),
  };
}
