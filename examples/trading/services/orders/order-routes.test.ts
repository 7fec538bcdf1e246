import { describe, expect, it, vi } from 'vitest';
import { matchPath, type ServiceRequest } from '../../shared/route.ts';
import { orderRoutes } from './order-routes.ts';
import type { OrderStore } from './order-store.ts';
import { paymentRoutes } from './payment-routes.ts';

const order = { id: 'ord_1', totalCents: 2_999, status: 'open' };
const store = {
  insert: vi.fn(async (given) => ({ ...order, ...given })),
  find: vi.fn(async (id) => (id === 'ord_1' ? order : undefined)),
  markPaid: vi.fn(),
} as unknown as OrderStore;
const pay = vi.fn().mockResolvedValue({ status: 'completed', charge_id: 'ch_1' });
const routes = [...orderRoutes(store), ...paymentRoutes(store, pay)];

async function send(method: 'GET' | 'POST', path: string, body: Record<string, unknown> = {}) {
  const match = matchPath(routes, path).find(({ route }) => route.method === method);
  const request = { params: match?.params, json: async () => body, requestId: 'req-1' };
  return match?.route.handle(request as unknown as ServiceRequest);
}

describe('POST /orders', () => {
  it('creates an order', async () => {
    const reply = await send('POST', '/orders', {
      items: [{ sku: 'TEST-001', quantity: 1 }],
      total: 29.99,
    });
    expect(reply).toMatchObject({ status: 201, body: { total: 29.99, status: 'open' } });
  });

  it.each([
    [{ total: 29.99 }, '"items"'],
    [{ items: [], total: 29.99 }, '"items"'],
    [{ items: [null], total: 29.99 }, '"sku"'],
    [{ items: [{ sku: 'A\u0000', quantity: 1 }], total: 29.99 }, '"sku"'],
    [{ items: [{ sku: 'A', quantity: 1.5 }], total: 29.99 }, '"quantity"'],
    [{ items: [{ sku: 'A', quantity: 1 }], total: '29.99' }, '"total"'],
    [{ items: [{ sku: 'A', quantity: 1 }], total: -1 }, '"total"'],
    [{ items: [{ sku: 'A', quantity: 1 }], total: 0.001 }, '"total"'],
  ])('refuses %j and names the field', async (body, field) => {
    const refused = expect(send('POST', '/orders', body)).rejects;
    await refused.toMatchObject({ status: 400, message: expect.stringContaining(field) });
  });
});

describe('GET /orders/:id', () => {
  it('finds an order', async () => {
    expect(await send('GET', '/orders/ord_1')).toMatchObject({ status: 200 });
  });

  it.each(['ord_2', 'nonsense', 'ord_%00'])('knows no order %s', async (id) => {
    await expect(send('GET', `/orders/${id}`)).rejects.toMatchObject({ status: 404 });
  });
});

describe('POST /orders/:id/payment', () => {
  it('pays the order and notes the charge', async () => {
    const card = { method: 'card', token: 'tok_test_valid' };
    const reply = await send('POST', '/orders/ord_1/payment', card);
    expect(reply).toEqual({ status: 200, body: { status: 'completed', charge_id: 'ch_1' } });
    const payment = { orderId: 'ord_1', amount: 29.99, ...card };
    expect(pay).toHaveBeenCalledExactlyOnceWith(payment, 'req-1');
    expect(store.markPaid).toHaveBeenCalledWith('ord_1', 'ch_1');
  });

  it('knows only cards', async () => {
    const cash = send('POST', '/orders/ord_1/payment', { method: 'cash', token: 'x' });
    await expect(cash).rejects.toMatchObject({ status: 400 });
  });
});
