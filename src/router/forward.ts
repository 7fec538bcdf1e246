import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import { type Fault, fault } from '../kernel/index.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { refuse } from './refuse.ts';
import type { Route } from './route.ts';

/** A request on its way, and what its caller gets. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
}

// A connection that is used again may be closed at that very moment, and a request with effects
// can't be sent twice: a new one each time costs a little and never fails for that. The service is
// not told: it would hang up on a caller that is still sending when it has answered already.
const useOnce = { keepSocketAlive: (): boolean => false };
const agents = {
  http: Object.assign(new http.Agent({ keepAlive: true }), useOnce),
  https: Object.assign(new https.Agent({ keepAlive: true }), useOnce),
} as const;

/** Passes everything on as it comes, in both directions; `onAnswer` sees the answer first. */
export function forward(exchange: Exchange, onAnswer: (answer: IncomingMessage) => void): void {
  const { request, response, route } = exchange;
  const upstream = dial(exchange);
  upstream.on('error', (error) => fail(exchange, unreachable(route, error)));
  upstream.once('continue', () => response.writeContinue());
  upstream.once('response', (answer) => {
    onAnswer(answer);
    relay(answer, exchange);
  });
  // The caller left, or has its answer and is no longer heard.
  response.once('close', () => upstream.destroy());
  carryTrailers(request, upstream);
  request.pipe(upstream);
}

function dial({ request, route }: Exchange): ClientRequest {
  const { scheme, host, port, kind } = route;
  const options = {
    host,
    port,
    method: request.method,
    path: request.url,
    headers: requestHeaders(request),
    setHost: false,
    // A service of this machine is known by its port. A third party has to prove who it is.
    rejectUnauthorized: kind === 'external',
  };
  return scheme === 'https'
    ? https.request({ ...options, agent: agents.https })
    : http.request({ ...options, agent: agents.http });
}

function relay(answer: IncomingMessage, { response, route }: Exchange): void {
  const { statusCode = 502, statusMessage } = answer;
  const headers = responseHeaders(answer);
  if (route.isIngress) headers.push('x-surety-lane', route.lane);
  response.sendDate = false;
  response.writeHead(statusCode, statusMessage, headers);
  carryTrailers(answer, response);
  // An answer that breaks off breaks off for the caller as well, rather than ending early.
  pipeline(answer, response, () => {});
}

/** They are known when the body has been read, and must be there before the other side ends. */
function carryTrailers(from: IncomingMessage, to: ClientRequest | ServerResponse): void {
  from.once('end', () => {
    if (from.rawTrailers.length > 0) to.addTrailers(from.trailers as Record<string, string>);
  });
}

function fail({ response, route }: Exchange, reason: Fault): void {
  if (response.headersSent) response.destroy();
  else refuse(response, reason, route);
}

function unreachable({ kind, to, lane }: Route, error: Error): Fault {
  const reason = error.message;
  return kind === 'candidate'
    ? fault('LANE_SERVICE_DOWN', { service: to, lane, reason }, error)
    : fault('TARGET_UNREACHABLE', { target: to, reason }, error);
}
