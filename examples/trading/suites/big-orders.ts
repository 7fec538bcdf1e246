/** What takes longer than usual: an order of a hundred articles, a card company with time. */
import { defineSuite } from 'surety/suite';

await defineSuite('big-orders', async ({ api, check }) => {
  const items = Array.from({ length: 100 }, (_, n) => ({
    sku: `BULK-${n}`,
    quantity: 1 + (n % 9),
  }));
  const order = await api.post('/orders', { items, total: 4_999.5 });
  check('an order of a hundred articles is created', order.status, 201);
  const slow = { method: 'card', token: 'tok_test_slow' };
  const payment = await api.post(`/orders/${order.body.id}/payment`, slow);
  check('a card that takes its time is charged', payment.body.status, 'completed', payment);
  const stored = await api.get(`/orders/${order.body.id}`);
  check('the order has all of its articles', (stored.body.items as unknown[])?.length, 100, stored);
});
