import { readFileSync } from 'node:fs';
import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { connectRedis } from '../../shared/redis.ts';
import { runService } from '../../shared/service.ts';
import { createFlagStore, type Flag } from './flag-store.ts';
import { flagRoutes } from './routes.ts';

const redis = connectRedis(urlFrom('REDIS_URL', 'redis://127.0.0.1:6379'));
const store = createFlagStore(redis);
const initial = readFileSync(new URL('flags.json', import.meta.url), 'utf8');

await store.addMissing(JSON.parse(initial) as Record<string, Flag>);
await runService({
  name: 'flags',
  port: portFrom('PORT', 4305),
  routes: flagRoutes(store),
  metrics: createMetrics(),
  log: createLog('flags'),
  check: () => redis.ask('PING'),
  stop: async () => redis.stop(),
});
