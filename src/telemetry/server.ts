import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CallerConnections, limitCallers } from '../kernel/index.ts';
import { telemetryLimits } from './limits.ts';
import { type ReceiverDeps, receiveHttp, type Signal } from './otlp/index.ts';

export interface TelemetryServerDeps {
  readonly receiver: ReceiverDeps;
  /** The page at /metrics, in the text format of Prometheus. */
  readonly metrics: () => string;
}

const signals: Readonly<Record<string, Signal>> = {
  '/v1/traces': 'traces',
  '/v1/metrics': 'metrics',
  '/v1/logs': 'logs',
};

/** The HTTP port of telemetry, for reports of services and for Prometheus. */
export function createTelemetryServer(deps: TelemetryServerDeps): Server {
  const server = createServer({ requestTimeout: telemetryLimits.telemetryMessageMsMax * 2 });
  server.headersTimeout = telemetryLimits.telemetryMessageMsMax;
  server.keepAliveTimeout = keepAliveMs;
  limitCallers(server, new CallerConnections());
  server.on('request', (request, response) => void answer(request, response, deps));
  // Invalid HTTP gets no log line and no stack, since anybody on this machine can send it. The
  // connection is destroyed, because a client that never closes its end would keep it for ever.
  server.on('clientError', (_, socket) =>
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n', () => socket.destroy()),
  );
  return server;
}

/** Exporters send every few seconds, and a new connection each time would cost them more. */
const keepAliveMs = 30_000;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  deps: TelemetryServerDeps,
): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?');
  const signal = Object.hasOwn(signals, path) ? signals[path] : undefined;
  if (signal) return receiveHttp(signal, request, response, deps.receiver);
  request.on('error', () => {});
  if (!isFromHere(request)) return end(response, 421, 'This is only for programs of this machine.');
  if (path === '/metrics' && request.method === 'GET') return page(response, deps.metrics());
  return end(response, 404, 'There are /v1/traces, /v1/metrics, /v1/logs and /metrics.');
}

/** A page with a rebound DNS name would have that name in the header. */
function isFromHere({ headers: { host = '' } }: IncomingMessage): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(host);
}

function page(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(text);
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
