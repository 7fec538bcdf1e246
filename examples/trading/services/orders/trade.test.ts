import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { createAudit } from './audit.ts';
import { makeTrade } from './trade.ts';

const metrics = createMetrics();
const audit = createAudit(metrics);
const requestQuote = vi.fn();
const store = { insert: vi.fn(), find: vi.fn() };
const context = { requestId: 'req-1', log: createLog('test', () => {}) };
const request = { symbol: 'ACME', side: 'buy', quantity: 100, counterparty: 'BANK-1' } as const;

function quoteWith(validation: Record<string, unknown>) {
  const checked = { highValue: true, fraudCheck: 'required', screening: 'passed', reasons: [] };
  return { price: 150, amount: 15_000, currency: 'USD', validation: { ...checked, ...validation } };
}

const trade = () => makeTrade(request, context, { requestQuote, store, audit });

beforeEach(() => vi.clearAllMocks());

describe('makeTrade', () => {
  it('records an accepted trade', async () => {
    requestQuote.mockResolvedValue(quoteWith({}));
    const made = await trade();
    expect(made).toMatchObject({ status: 'accepted', amount: 15_000, highValue: true });
    expect(store.insert).toHaveBeenCalledExactlyOnceWith(made);
  });

  it('tells the amount as printed on statements when pricing gives it', async () => {
    requestQuote.mockResolvedValue({ ...quoteWith({}), displayAmount: '15,000.00' });
    expect(await trade()).toMatchObject({ amount: 15_000, displayAmount: '15,000.00' });
    expect(store.insert.mock.calls[0]?.[0]).not.toHaveProperty('displayAmount');
  });

  it('records a refused trade with its reasons', async () => {
    requestQuote.mockResolvedValue(quoteWith({ screening: 'refused', reasons: ['velocity'] }));
    expect(await trade()).toMatchObject({ status: 'refused', reasons: ['velocity'] });
    expect(metrics.text()).toContain('validation_failures_total{reason="velocity"} 1\n');
  });

  it('notices a flag that contradicts quantity and price', async () => {
    requestQuote.mockResolvedValue(quoteWith({ highValue: false, fraudCheck: 'not-required' }));
    expect(await trade()).toMatchObject({ status: 'validation-failed' });
    expect(metrics.text()).toContain('high_value_mismatch_total 1\n');
    expect(store.insert).toHaveBeenCalledOnce();
  });
});
