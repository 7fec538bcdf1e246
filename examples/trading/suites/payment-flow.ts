/** An order can be paid, and paying it again does not charge again. */
import { defineSuite } from 'surety/suite';

await defineSuite('payment-flow', async ({ api, check }) => {
  // Create order
  const order = await api.post('/orders', {
    items: [{ sku: 'TEST-001', quantity: 1 }],
    total: 29.99,
  });
  check('the order is created', order.status, 201);

  // Process payment
  const payment = await api.post(`/orders/${order.body.id}/payment`, {
    method: 'card',
    token: 'tok_test_valid',
  });
  check('the payment is accepted', payment.status, 200);
  check('the payment is completed', payment.body.status, 'completed');
  check('the payment has a charge', typeof payment.body.charge_id, 'string');

  // Verify idempotency
  const retry = await api.post(`/orders/${order.body.id}/payment`, {
    method: 'card',
    token: 'tok_test_valid',
  });
  check('the retry is accepted', retry.status, 200);
  check('the retry does not charge again', retry.body.charge_id, payment.body.charge_id);
});
