import type { Database, Row } from '../../shared/postgres.ts';

export interface Trade {
  id: string;
  symbol: string;
  side: 'buy' | 'sell';
  quantity: number;
  counterparty: string;
  price: number;
  amount: number;
  currency: string;
  highValue: boolean;
  fraudCheck: 'required' | 'not-required';
  status: 'accepted' | 'refused' | 'validation-failed';
  reasons: string[];
}

/** What the client who made it is told; how an amount is printed, and the fee, is not stored. */
export type MadeTrade = Trade & { displayAmount?: string; fee?: number };

export interface TradeStore {
  insert(trade: Trade): Promise<void>;
  find(id: string): Promise<Trade | undefined>;
}

export function createTradeStore(database: Database): TradeStore {
  return {
    async insert(trade) {
      await database.query(
        `INSERT INTO trades (id, symbol, side, quantity, counterparty, price, amount, currency,
           high_value, fraud_check, status, reasons)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
        [
          ...[trade.id, trade.symbol, trade.side, trade.quantity, trade.counterparty],
          ...[trade.price, trade.amount, trade.currency],
          ...[trade.highValue, trade.fraudCheck, trade.status, trade.reasons],
        ],
      );
    },
    async find(id) {
      const [row] = await database.query<Trade & Row>(
        `SELECT id, symbol, side, quantity, counterparty, price::float8, amount::float8, currency,
           high_value AS "highValue", fraud_check AS "fraudCheck", status, reasons
         FROM trades WHERE id = $1`,
        [id],
      );
      return row;
    },
  };
}
