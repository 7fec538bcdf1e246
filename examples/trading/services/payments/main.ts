import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { migrate } from '../../shared/migrations.ts';
import { connectPostgres } from '../../shared/postgres.ts';
import { runService } from '../../shared/service.ts';
import { createPaymentStore } from './payment-store.ts';
import { createTestProcessor } from './processor.ts';
import { paymentRoutes } from './routes.ts';

const log = createLog('payments');
const metrics = createMetrics();
const databaseUrl = urlFrom('DATABASE_URL', 'postgres://postgres@127.0.0.1:5432/trading');
const postgres = connectPostgres(databaseUrl, log);
// Its own connections: the card company must never wait for the payments that wait for it.
const processorBooks = connectPostgres(databaseUrl, log);
const processorCalls = metrics.counter('processor_calls_total', 'Calls to the card company.');

await migrate(postgres, ['002-payments.sql']);
await runService({
  name: 'payments',
  port: portFrom('PORT', 4304),
  routes: paymentRoutes(
    createPaymentStore(postgres),
    createTestProcessor(processorBooks, processorCalls),
    metrics,
  ),
  metrics,
  log,
  check: () => postgres.query('SELECT 1'),
  stop: async () => {
    await postgres.stop();
    await processorBooks.stop();
  },
});
