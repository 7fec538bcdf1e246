import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Exchange } from '../exchange.ts';
import { asObject } from '../inbound/headers.ts';

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR } = constants;

/** Sends it as one stream of a session that others use as well. */
export function sendHttp2(exchange: Exchange, session: ClientHttp2Session): void {
  const stream = open(exchange, session);
  let isOver = false;
  let trailers: readonly string[] = [];
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    exchange.complete(trailers);
    // It has answered, and need not hear the rest.
    if (!stream.closed) stream.close(NGHTTP2_NO_ERROR);
  };
  exchange.onCancel(() => {
    isOver = true;
    stream.close(NGHTTP2_CANCEL);
  });
  stream.on('headers', (headers: IncomingHttpHeaders) =>
    exchange.interim(Number(headers[':status']), linesOf(headers)),
  );
  stream.on('response', (headers, flags) => {
    const isAll = (flags & NGHTTP2_FLAG_END_STREAM) !== 0;
    const status = headers[':status'] ?? 502;
    exchange.answer({ status, statusMessage: '', isOver: isAll }, linesOf(headers));
  });
  stream.on('trailers', (headers) => {
    trailers = linesOf(headers);
  });
  stream.on('data', (chunk: Buffer) => {
    if (exchange.data(chunk)) return;
    stream.pause();
    exchange.caller.onDrain(() => stream.resume());
  });
  stream.on('end', () => {
    if (exchange.caller.status > 0) finish();
  });
  watchFailure(exchange, stream, () => {
    const wasOver = isOver;
    isOver = true;
    return wasOver;
  });
}

function open(exchange: Exchange, session: ClientHttp2Session): ClientHttp2Stream {
  const { head, body, route } = exchange;
  const hasBody = head.hasBody && body !== null;
  const hasTrailers = hasBody && head.headers.trailer !== undefined;
  const headers = requestHeaders(exchange, route.scheme);
  const stream = session.request(headers, { endStream: !hasBody, waitForTrailers: hasTrailers });
  if (!hasBody) return stream;
  let trailers: OutgoingHttpHeaders = {};
  body.on('trailers', (received: OutgoingHttpHeaders) => {
    trailers = received;
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  body.on('data', (chunk: Buffer) => exchange.sent(chunk));
  body.pipe(stream);
  return stream;
}

/** However it ends before its time: the session is lost, or the service has reset the stream. */
function watchFailure(exchange: Exchange, stream: ClientHttp2Stream, takeEnd: () => boolean): void {
  let failure: Error | undefined;
  stream.on('error', (error) => {
    failure = error;
  });
  stream.on('close', () => {
    if (takeEnd()) return;
    const code = stream.rstCode;
    const isReset = failure === undefined || isResetError(failure);
    const reason = failure ?? new Error(`the stream was closed with code ${code}`);
    // What the service said by its code is the caller's to hear, if it can.
    const speaksHttp2 = exchange.caller.protocol === 'http2' || exchange.caller.protocol === 'grpc';
    exchange.fail(reason, isReset && speaksHttp2 && code !== 0 ? code : undefined);
  });
}

function isResetError(error: Error & { code?: string }): boolean {
  return error.code === 'ERR_HTTP2_STREAM_ERROR';
}

function requestHeaders({ head }: Exchange, scheme: string): OutgoingHttpHeaders {
  const { host, ...headers } = asObject(head.lines);
  const trailers = head.isGrpc ? { te: 'trailers' } : {};
  return {
    ...headers,
    ...trailers,
    ':method': head.method,
    ':path': head.path,
    ':scheme': scheme,
    ...(host === undefined ? {} : { ':authority': String(host) }),
  };
}

function linesOf(headers: IncomingHttpHeaders): string[] {
  return Object.entries(headers)
    .filter(([name]) => !name.startsWith(':'))
    .flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
}
