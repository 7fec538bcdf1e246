import { describe, expect, it, vi } from 'vitest';
import { quoteTrade } from './quote.ts';

const highValue = {
  highValue: true,
  fraudCheck: 'required',
  screening: 'passed',
  reasons: [],
} as const;

describe('quoteTrade', () => {
  const request = { tradeId: 'trd_1', symbol: 'ACME', quantity: 100, counterparty: 'BANK-1' };

  it('multiplies quantity and price', async () => {
    const validate = vi.fn().mockResolvedValue(highValue);
    const quote = await quoteTrade(request, 'req-1', validate);
    expect(quote).toMatchObject({ tradeId: 'trd_1', price: 150, amount: 15_000, currency: 'USD' });
  });

  it('rounds to cents', async () => {
    const validate = vi.fn().mockResolvedValue(highValue);
    const quote = await quoteTrade({ ...request, symbol: 'UMBRL', quantity: 7 }, 'req-1', validate);
    expect(quote.amount).toBe(6.09);
  });

  it('has the trade validated and returns the validation', async () => {
    const validate = vi.fn().mockResolvedValue(highValue);
    const quote = await quoteTrade(request, 'req-1', validate);
    expect(validate).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ tradeId: 'trd_1', counterparty: 'BANK-1', currency: 'USD' }),
      'req-1',
    );
    expect(quote.validation).toMatchObject({ highValue: true, fraudCheck: 'required' });
  });

  it('does not validate what it cannot price', async () => {
    const validate = vi.fn();
    await expect(quoteTrade({ ...request, symbol: 'NOPE' }, 'req-1', validate)).rejects.toThrow(
      '"NOPE" is not traded here.',
    );
    expect(validate).not.toHaveBeenCalled();
  });
});
