import { portFrom } from '../../shared/environment.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { runService } from '../../shared/service.ts';
import { createFraudScreen, DEFAULT_RULES } from './fraud.ts';
import { validationRoutes } from './routes.ts';

const log = createLog('validation');
const metrics = createMetrics();

await runService({
  name: 'validation',
  port: portFrom('PORT', 4303),
  routes: validationRoutes(createFraudScreen(DEFAULT_RULES), metrics),
  metrics,
  log,
});
