import { readFileSync } from 'node:fs';
import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createClient } from '../../shared/http-client.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { runService } from '../../shared/service.ts';
import { createAuthorise, type TokenEntry } from './auth.ts';
import { edgeRoutes } from './routes.ts';

const log = createLog('edge');
const metrics = createMetrics();
const tokensFile = process.env.TOKENS_FILE ?? new URL('tokens.json', import.meta.url);
const tokens = JSON.parse(readFileSync(tokensFile, 'utf8')) as TokenEntry[];
const ordersUrl = urlFrom('ORDERS_URL', 'http://127.0.0.1:4301');

await runService({
  name: 'edge',
  port: portFrom('PORT', 4300),
  routes: edgeRoutes(createAuthorise(tokens), createClient('orders', ordersUrl, metrics)),
  metrics,
  log,
  tls: tlsFromEnvironment(),
});

function tlsFromEnvironment(): { cert: string; key: string } | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE } = process.env;
  if (!TLS_CERT_FILE && !TLS_KEY_FILE) return undefined;
  if (!TLS_CERT_FILE || !TLS_KEY_FILE) {
    throw new Error('TLS needs both TLS_CERT_FILE and TLS_KEY_FILE.');
  }
  return { cert: readFileSync(TLS_CERT_FILE, 'utf8'), key: readFileSync(TLS_KEY_FILE, 'utf8') };
}
