import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createClient } from '../../shared/http-client.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { migrate } from '../../shared/migrations.ts';
import { connectPostgres } from '../../shared/postgres.ts';
import { runService } from '../../shared/service.ts';
import { createAudit } from './audit.ts';
import { orderRoutes } from './order-routes.ts';
import { createOrderStore } from './order-store.ts';
import { paymentRoutes } from './payment-routes.ts';
import { createPay } from './payments-client.ts';
import { createRequestQuote } from './pricing-client.ts';
import { surroundings } from './surroundings.ts';
import { tradeRoutes } from './trade-routes.ts';
import { createTradeStore } from './trade-store.ts';

const log = createLog('orders');
const metrics = createMetrics();
const databaseUrl = urlFrom('DATABASE_URL', 'postgres://postgres@127.0.0.1:5432/trading');
const pricing = createClient('pricing', urlFrom('PRICING_URL', 'http://127.0.0.1:4302'), metrics);
const payments = createClient(
  'payments',
  urlFrom('PAYMENTS_URL', 'http://127.0.0.1:4304'),
  metrics,
);
const postgres = connectPostgres(databaseUrl, log);
const orderStore = createOrderStore(postgres);
const around = await surroundings(metrics);

await migrate(postgres, ['001-orders.sql']);
await runService({
  name: 'orders',
  port: portFrom('PORT', 4301),
  routes: [
    ...orderRoutes(orderStore, around.announce),
    ...paymentRoutes(orderStore, createPay(payments), around.announce),
    ...tradeRoutes({
      requestQuote: createRequestQuote(pricing),
      store: createTradeStore(postgres),
      audit: createAudit(metrics),
      ...around,
    }),
  ],
  metrics,
  log,
  check: () => postgres.query('SELECT 1'),
  stop: async () => {
    await postgres.stop();
    await around.stop();
  },
});
