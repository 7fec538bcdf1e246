import type { IncomingMessage } from 'node:http';
import { type Clock, redactText } from '../kernel/index.ts';
import { type CapturedBody, captureBody } from './body-capture.ts';
import type { Exchange } from './forward.ts';
import type { Hop } from './hop.ts';

export interface RecorderDeps {
  readonly clock: Clock;
  record(hop: Omit<Hop, 'n'>): void;
}

const nothing: CapturedBody = { json: null, bytes: 0 };

/** Writes the hop down once the exchange is over, however it ended. Give it the answer, if any. */
export function recordHop(exchange: Exchange, { clock, record }: RecorderDeps) {
  const { request, response, route } = exchange;
  const at = clock.now();
  const startedMs = performance.now();
  const requestBody = captureBody(request);
  let answer: IncomingMessage | undefined;
  let responseBody = (): CapturedBody => nothing;
  response.once('close', () => {
    record({
      at,
      startedAt: startedMs,
      key: route.key,
      ...describe(request),
      // Who comes from outside may say anything.
      from: route.isIngress ? null : headerOf(request, 'x-surety-from'),
      to: route.to,
      instance: route.instance,
      served: headerOf(answer, 'x-surety-served'),
      recovered: false,
      escaped: false,
      protocol: 'http1',
      status: response.headersSent ? response.statusCode : 0,
      durationMs: performance.now() - startedMs,
      ...named('request', requestBody()),
      ...named('response', responseBody()),
    });
  });
  return (received: IncomingMessage): void => {
    answer = received;
    responseBody = captureBody(received);
  };
}

function describe(
  request: IncomingMessage,
): Pick<Hop, 'requestId' | 'traceId' | 'method' | 'path'> {
  return {
    requestId: headerOf(request, 'x-request-id'),
    traceId: headerOf(request, 'traceparent')?.split('-')[1] ?? null,
    method: request.method ?? '',
    path: redactText(request.url ?? ''),
  };
}

const headerCharactersMax = 256;

function headerOf(message: IncomingMessage | undefined, name: string): string | null {
  const value = message?.headers[name];
  return typeof value === 'string' ? value.slice(0, headerCharactersMax) : null;
}

type Side = 'request' | 'response';

function named<Name extends Side>(side: Name, { json, bytes }: CapturedBody) {
  return { [`${side}Body`]: json, [`${side}Bytes`]: bytes } as {
    [Field in `${Name}Body`]: CapturedBody['json'];
  } & { [Field in `${Name}Bytes`]: number };
}
