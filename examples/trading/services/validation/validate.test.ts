import { describe, expect, it, vi } from 'vitest';
import { createFraudScreen } from './fraud.ts';
import { validate } from './validate.ts';

const request = { tradeId: 'trd_1', counterparty: 'BANK-1', amount: 15_000, currency: 'USD' };

describe('validate', () => {
  it.each([
    [9_999.99, false, 'not-required'],
    [10_000, true, 'required'],
    [15_000, true, 'required'],
  ])('classifies %d', (amount, highValue, fraudCheck) => {
    const validation = validate({ ...request, amount }, () => []);
    expect(validation).toMatchObject({ highValue, fraudCheck });
  });

  it('screens only high-value trades', () => {
    const screen = vi.fn().mockReturnValue([]);
    expect(validate({ ...request, amount: 50 }, screen).screening).toBe('skipped');
    expect(screen).not.toHaveBeenCalled();
    expect(validate(request, screen).screening).toBe('passed');
    expect(screen).toHaveBeenCalledOnce();
  });

  it('refuses with the reasons of the screening', () => {
    const validation = validate(request, () => ['velocity']);
    expect(validation).toMatchObject({ screening: 'refused', reasons: ['velocity'] });
  });
});

describe('fraud screening', () => {
  const rules = { blockedCounterparties: new Set(['BAD']), tradesPerMinuteMax: 2 };

  it('names a blocked counterparty', () => {
    const screen = createFraudScreen(rules);
    expect(screen({ ...request, counterparty: 'BAD' })).toEqual(['blocked-counterparty']);
  });

  it('limits the trades of one counterparty within a minute', () => {
    const now = vi.fn().mockReturnValue(0);
    const screen = createFraudScreen(rules, now);
    expect([screen(request), screen(request), screen(request)]).toEqual([[], [], ['velocity']]);
    expect(screen({ ...request, counterparty: 'BANK-2' })).toEqual([]);
    now.mockReturnValue(60_001);
    expect(screen(request)).toEqual([]);
  });
});
