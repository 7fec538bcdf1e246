/** An order can be paid, and paying it again does not charge again. */
import { runSuite } from './check.ts';

await runSuite('payment-flow', async ({ post, check }) => {
  const order = await post('/orders', {
    items: [{ sku: 'TEST-001', quantity: 1 }],
    total: 29.99,
  });
  check('the order is created', order, 201, order.status);

  const payment = await post(`/orders/${order.body.id}/payment`, {
    method: 'card',
    token: 'tok_test_valid',
  });
  check('the payment is accepted', payment, 200, payment.status);
  check('the payment is completed', payment, 'completed', payment.body.status);
  check('the payment has a charge', payment, 'string', typeof payment.body.charge_id);

  const retry = await post(`/orders/${order.body.id}/payment`, {
    method: 'card',
    token: 'tok_test_valid',
  });
  check('the retry is accepted', retry, 200, retry.status);
  check('the retry does not charge again', retry, payment.body.charge_id, retry.body.charge_id);
});
