import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { Exchange } from '../exchange.ts';
import { asObject } from '../inbound/headers.ts';

/** What undici does not carry: callers that ask first, trailers of requests, `OPTIONS *`. */
export function isPlain({ head: { headers, path } }: Exchange): boolean {
  return headers.expect !== undefined || headers.trailer !== undefined || path === '*';
}

/** Uses a separate connection, as such requests are rare. */
export function sendPlain(exchange: Exchange): void {
  const upstream = dial(exchange);
  exchange.onCancel(() => upstream.destroy());
  upstream.on('error', (error) => exchange.fail(error));
  upstream.once('continue', () => exchange.interim(100, []));
  upstream.once('response', (answer) => relay(answer, exchange));
  const { body } = exchange;
  if (body === null) return void upstream.end();
  body.on('data', (chunk: Buffer) => exchange.sent(chunk));
  carryTrailers(body, upstream);
  body.pipe(upstream);
}

function dial({ head, route }: Exchange): ClientRequest {
  const { scheme, host, port, kind } = route;
  const coding = isChunked(head.headers) ? { 'transfer-encoding': 'chunked' } : {};
  const options = {
    host,
    port,
    method: head.method,
    path: head.path,
    headers: { ...asObject(head.lines), ...coding },
    setHost: false,
    agent: false as const,
    // A service of this machine is known by its port. A third party has to prove who it is.
    rejectUnauthorized: kind === 'external',
  };
  const request = scheme === 'https' ? https.request(options) : http.request(options);
  // Keep-alive, because with `Connection: close` the service would hang up after its answer on a
  // caller that is still sending.
  request.shouldKeepAlive = true;
  return request;
}

/** Without it a body of unknown length would be dropped where a method usually has none. */
function isChunked(headers: Exchange['head']['headers']): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] !== undefined;
}

function relay(answer: IncomingMessage, exchange: Exchange): void {
  const { statusCode: status = 502, statusMessage = '', rawHeaders } = answer;
  exchange.answer({ status, statusMessage, isOver: false }, rawHeaders);
  answer.on('data', (chunk: Buffer) => {
    if (exchange.data(chunk)) return;
    answer.pause();
    exchange.caller.onDrain(() => answer.resume());
  });
  answer.once('end', () => exchange.complete(answer.rawTrailers));
  // An answer that breaks off breaks off for the caller as well, rather than ending early.
  answer.once('error', (error) => exchange.fail(error));
}

/** They are known when the body has been read, and must be there before the other side ends. */
function carryTrailers(from: Readable, to: ClientRequest): void {
  from.once('end', () => {
    const { trailers } = from as Partial<IncomingMessage>;
    if (trailers && Object.keys(trailers).length > 0) {
      to.addTrailers(trailers as Record<string, string>);
    }
  });
}
