import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createClient } from '../../shared/http-client.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { runService } from '../../shared/service.ts';
import { pricingRoutes } from './routes.ts';
import { createValidate } from './validation-client.ts';

const log = createLog('pricing');
const metrics = createMetrics();
const validationUrl = urlFrom('VALIDATION_URL', 'http://127.0.0.1:4303');

await runService({
  name: 'pricing',
  port: portFrom('PORT', 4302),
  routes: pricingRoutes(createValidate(createClient('validation', validationUrl, metrics))),
  metrics,
  log,
});
