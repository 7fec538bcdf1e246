import { badRequest } from '../../shared/http-error.ts';

export const CURRENCY = 'USD';

/** Closing prices; a real book would be fed by an exchange. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['ACME', 150],
  ['GLOBEX', 40],
  ['INITECH', 12.35],
  ['HOOLI', 311.07],
  ['UMBRL', 0.87],
]);

export function priceOf(symbol: string): number {
  const price = PRICES.get(symbol);
  if (price === undefined) throw badRequest('unknown_symbol', `"${symbol}" is not traded here.`);
  return price;
}
