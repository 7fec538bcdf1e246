import { expect, it, vi } from 'vitest';
import { createPay } from './payments-client.ts';

const request = { orderId: 'ord_1', amount: 29.99, method: 'card', token: 'tok' } as const;

it('posts the payment and returns the charge', async () => {
  const body = { status: 'completed', charge_id: 'ch_1' };
  const call = vi.fn().mockResolvedValue({ status: 200, body });
  await expect(createPay(call)(request, 'req-1')).resolves.toEqual(body);
  expect(call).toHaveBeenCalledWith(
    expect.objectContaining({ path: '/payments', body: request, requestId: 'req-1' }),
  );
});

it('passes a decline on', async () => {
  const error = { code: 'declined', message: 'The card was declined.' };
  const call = vi.fn().mockResolvedValue({ status: 402, body: { error } });
  await expect(createPay(call)(request, 'req-1')).rejects.toMatchObject({ status: 402, ...error });
});

it('turns a failure of payments into a 502', async () => {
  const call = vi.fn().mockResolvedValue({ status: 503, body: {} });
  await expect(createPay(call)(request, 'req-1')).rejects.toMatchObject({ status: 502 });
});
