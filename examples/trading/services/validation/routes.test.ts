import { expect, it } from 'vitest';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { ServiceRequest } from '../../shared/route.ts';
import { validationRoutes } from './routes.ts';

const metrics = createMetrics();
const [route] = validationRoutes(() => [], metrics);

async function post(body: Record<string, unknown>) {
  const json = async () => body;
  return route?.handle({ json, log: createLog('test', () => {}) } as ServiceRequest);
}

it('counts what it validated', async () => {
  await post({ tradeId: 'trd_1', counterparty: 'BANK-1', amount: 15_000, currency: 'USD' });
  expect(metrics.text()).toContain('trades_validated_total{high_value="true"} 1\n');
  expect(metrics.text()).toContain('fraud_screenings_total{outcome="passed"} 1\n');
});

it('names the fields that are missing', async () => {
  await expect(post({ tradeId: 'trd_1', amount: 1 })).rejects.toThrow(
    'These fields are missing: counterparty, currency.',
  );
});

it('refuses an amount that is not positive', async () => {
  const body = { tradeId: 'trd_1', counterparty: 'BANK-1', amount: 0, currency: 'USD' };
  await expect(post(body)).rejects.toThrow('"amount" must be greater than 0.');
});
