import { createRandom, pick } from './random.ts';

export type Token = 'valid' | 'expired';

/**
 * One request of a visit. A `{id}` in the path is the id from the visit's latest answer that had
 * one.
 */
export interface Step {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  token: Token;
  expectedStatus: number;
}

export interface Visit {
  kind: string;
  steps: Step[];
}

type Random = () => number;

const KINDS: { kind: string; weight: number; steps: (random: Random) => Step[] }[] = [
  { kind: 'order', weight: 15, steps: (random) => [order(random), read('/orders/{id}')] },
  { kind: 'payment', weight: 20, steps: (random) => [order(random), payment('tok_test_valid')] },
  { kind: 'payment-retried', weight: 5, steps: retriedPayment },
  { kind: 'payment-slow', weight: 3, steps: (random) => [order(random), payment('tok_test_slow')] },
  { kind: 'payment-declined', weight: 3, steps: declinedPayment },
  { kind: 'trade', weight: 30, steps: (random) => [trade(random, 1, 60), read('/trades/{id}')] },
  { kind: 'trade-high-value', weight: 15, steps: (random) => [trade(random, 100, 900)] },
  { kind: 'trade-blocked', weight: 1, steps: () => [tradeOf('ACME', 100, 'SHELL-CO-13')] },
  { kind: 'token-expired', weight: 5, steps: expiredToken },
  { kind: 'bad-input', weight: 3, steps: badInput },
];

/** What the traffic will consist of, decided before any of it is sent: same seed, same visits. */
export function planVisits(count: number, seed: number): Visit[] {
  const random = createRandom(seed);
  const weighted = KINDS.flatMap((kind) => Array<typeof kind>(kind.weight).fill(kind));
  return Array.from({ length: count }, () => {
    const { kind, steps } = pick(random, weighted);
    return { kind, steps: steps(random) };
  });
}

function order(random: Random): Step {
  const sku = `SKU-${Math.floor(random() * 37)}`;
  const quantity = 1 + Math.floor(random() * 4);
  const total = (499 + Math.floor(random() * 25_000)) / 100;
  return post('/orders', { items: [{ sku, quantity }], total }, 201);
}

function payment(token: string, expectedStatus = 200): Step {
  return post('/orders/{id}/payment', { method: 'card', token }, expectedStatus);
}

function retriedPayment(random: Random): Step[] {
  return [order(random), payment('tok_test_valid'), payment('tok_test_valid')];
}

function declinedPayment(random: Random): Step[] {
  return [order(random), payment('tok_test_declined', 402), payment('tok_test_valid')];
}

/**
 * ACME costs 150 and GLOBEX 40: up to 60 pieces are an ordinary trade, from 250 a high-value one.
 */
function trade(random: Random, quantityMin: number, quantityMax: number): Step {
  const symbol = quantityMin < 100 ? pick(random, ['ACME', 'GLOBEX', 'INITECH']) : 'ACME';
  const quantity = quantityMin + Math.floor(random() * (quantityMax - quantityMin + 1));
  return tradeOf(symbol, quantity, `BANK-${Math.floor(random() * 40)}`);
}

function tradeOf(symbol: string, quantity: number, counterparty: string): Step {
  return post('/trades', { symbol, side: 'buy', quantity, counterparty }, 201);
}

/** A former client reads what a present client has just read. */
function expiredToken(random: Random): Step[] {
  const readAgain = read('/trades/{id}');
  return [trade(random, 1, 60), readAgain, { ...readAgain, token: 'expired', expectedStatus: 401 }];
}

function badInput(random: Random): Step[] {
  return pick(random, [
    [post('/orders', { items: [], total: 10 }, 400)],
    [post('/trades', { symbol: 'NOPE', side: 'buy', quantity: 1, counterparty: 'BANK-1' }, 400)],
    [{ ...read('/trades/trd_none'), expectedStatus: 404 }],
  ]);
}

function post(path: string, body: unknown, expectedStatus: number): Step {
  return { method: 'POST', path, body, token: 'valid', expectedStatus };
}

function read(path: string): Step {
  return { method: 'GET', path, token: 'valid', expectedStatus: 200 };
}
