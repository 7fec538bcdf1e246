import { describe, expect, it, vi } from 'vitest';
import { pay } from './pay.ts';
import type { Payment, PaymentStore } from './payment-store.ts';

const request = { orderId: 'ord_1', amountCents: 2_999, token: 'tok_test_valid' };

function storeWith(payment: Partial<Payment>) {
  const save = vi.fn();
  const found = { orderId: 'ord_1', amountCents: 2_999, chargeId: null, ...payment } as Payment;
  const store: PaymentStore = {
    withPayment: (_orderId, _amountCents, work) => work({ payment: found, save }),
  };
  return { store, save };
}

describe('pay', () => {
  it('charges the card and records the charge', async () => {
    const { store, save } = storeWith({ status: 'pending' });
    const charge = vi.fn().mockResolvedValue({ outcome: 'charged', chargeId: 'ch_1' });
    const result = await pay(request, store, charge);
    expect(result).toEqual({ status: 'completed', chargeId: 'ch_1' });
    expect(save).toHaveBeenCalledWith('completed', 'ch_1');
  });

  it('gives a retry the charge of the first attempt', async () => {
    const { store } = storeWith({ status: 'completed', chargeId: 'ch_1' });
    const charge = vi.fn();
    const result = await pay(request, store, charge);
    expect(result).toEqual({ status: 'completed', chargeId: 'ch_1' });
    expect(charge).not.toHaveBeenCalled();
  });

  it('records a decline, and lets another card try', async () => {
    const { store, save } = storeWith({ status: 'declined' });
    const charge = vi
      .fn()
      .mockResolvedValueOnce({ outcome: 'declined' })
      .mockResolvedValueOnce({ outcome: 'charged', chargeId: 'ch_2' });
    expect((await pay(request, store, charge)).status).toBe('declined');
    expect((await pay(request, store, charge)).status).toBe('completed');
    expect(save.mock.calls).toEqual([
      ['declined', null],
      ['completed', 'ch_2'],
    ]);
  });
});
