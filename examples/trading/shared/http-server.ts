import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { HttpError } from './http-error.ts';
import { readJsonObject } from './json-body.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { type Match, matchPath, type Reply, type Route } from './route.ts';

export interface ServerOptions {
  routes: readonly Route[];
  metrics: Metrics;
  log: Log;
  tls?: { cert: string; key: string } | undefined;
}

/**
 * An HTTP server that answers in JSON, logs and measures each request, and carries its request id.
 */
export function createHttpServer(options: ServerOptions): Server {
  const measure = requestMeasures(options.metrics);
  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    const started = performance.now();
    const requestId = requestIdOf(message);
    const log = options.log.with({ requestId });
    void answer(message, { ...options, log, requestId }).then(({ reply, route }) => {
      write(response, reply, requestId);
      // Health checks and scrapes would drown the requests that matter.
      if (route === '/healthz' || route === '/metrics') return;
      const seconds = (performance.now() - started) / 1000;
      measure(message.method ?? '', route, reply.status, seconds);
      const durationMs = Math.round(seconds * 1e6) / 1000;
      log.info('request', { method: message.method, route, status: reply.status, durationMs });
    });
  };
  return options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
}

interface Answered {
  reply: Reply;
  /** The route's pattern, so that ids in paths don't become separate metric series. */
  route: string;
}

type Context = ServerOptions & { requestId: string };

async function answer(message: IncomingMessage, context: Context): Promise<Answered> {
  let route = 'unmatched';
  try {
    const path = (message.url ?? '/').split('?', 1)[0] ?? '/';
    const match = findRoute(context.routes, message.method ?? '', path);
    route = match.route.path;
    const reply = await match.route.handle({
      method: message.method ?? '',
      path,
      params: match.params,
      headers: message.headers,
      requestId: context.requestId,
      log: context.log,
      json: () => readJsonObject(message),
    });
    return { reply, route };
  } catch (error) {
    return { reply: errorReply(error, context), route };
  }
}

function findRoute(routes: readonly Route[], method: string, path: string): Match {
  const matches = matchPath(routes, path);
  const match = matches.find((candidate) => candidate.route.method === method);
  if (match) return match;
  if (matches.length === 0) throw new HttpError(404, 'route_not_found', `Nothing is at ${path}.`);
  const allow = matches.map((candidate) => candidate.route.method).join(', ');
  throw new HttpError(405, 'method_not_allowed', `${path} accepts ${allow}.`, { allow });
}

function errorReply(error: unknown, context: Context): Reply {
  const { requestId } = context;
  if (error instanceof HttpError) {
    const { status, code, message, headers } = error;
    if (status >= 500) context.log.error(message, { code });
    return { status, headers, body: { error: { code, message, requestId } } };
  }
  context.log.error('unexpected error', { stack: (error as Error)?.stack ?? String(error) });
  const message = 'Something went wrong on our side.';
  return { status: 500, body: { error: { code: 'internal_error', message, requestId } } };
}

function write(response: ServerResponse, reply: Reply, requestId: string): void {
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-request-id': requestId,
    ...reply.headers,
  });
  response.end(text);
}

function requestIdOf(message: IncomingMessage): string {
  const given = message.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function requestMeasures(metrics: Metrics) {
  const requests = metrics.counter('http_requests_total', 'Requests answered.');
  const durations = metrics.histogram('http_request_duration_seconds', 'Time to answer.');
  return (method: string, route: string, status: number, seconds: number): void => {
    requests.add({ method, route, status: String(status) });
    durations.observe(seconds, { method, route });
  };
}
