import { readFileSync } from 'node:fs';
import { portFrom, urlFrom } from '../../shared/environment.ts';
import { createClient } from '../../shared/http-client.ts';
import { createLog } from '../../shared/log.ts';
import { createMetrics } from '../../shared/metrics.ts';
import type { Route } from '../../shared/route.ts';
import { runService } from '../../shared/service.ts';
import { createAuthorise, type TokenEntry } from './auth.ts';
import { selfSigned } from './certificate.ts';
import { notificationRoutes } from './notification-routes.ts';
import { edgeRoutes } from './routes.ts';

const log = createLog('edge');
const metrics = createMetrics();
const tokensFile = process.env.TOKENS_FILE ?? new URL('tokens.json', import.meta.url);
const tokens = JSON.parse(readFileSync(tokensFile, 'utf8')) as TokenEntry[];
const ordersUrl = urlFrom('ORDERS_URL', 'http://127.0.0.1:4301');

await runService({
  name: 'edge',
  port: portFrom('PORT', 4300),
  routes: publicRoutes(),
  metrics,
  log,
  tls: tlsFromEnvironment(),
});

function publicRoutes(): Route[] {
  const authorise = createAuthorise(tokens);
  const routes = edgeRoutes(authorise, createClient('orders', ordersUrl, metrics));
  const { NOTIFICATIONS_URL } = process.env;
  if (!NOTIFICATIONS_URL) return routes;
  const notifications = createClient('notifications', NOTIFICATIONS_URL, metrics);
  return [...routes, ...notificationRoutes(authorise, notifications)];
}

function tlsFromEnvironment(): { cert: string; key: string } | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_SELF_SIGNED } = process.env;
  if (TLS_SELF_SIGNED) return selfSigned(TLS_SELF_SIGNED);
  if (!TLS_CERT_FILE && !TLS_KEY_FILE) return undefined;
  if (!TLS_CERT_FILE || !TLS_KEY_FILE) {
    throw new Error('TLS needs both TLS_CERT_FILE and TLS_KEY_FILE.');
  }
  return { cert: readFileSync(TLS_CERT_FILE, 'utf8'), key: readFileSync(TLS_KEY_FILE, 'utf8') };
}
