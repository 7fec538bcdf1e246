import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { gzipSync } from 'node:zlib';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { telemetryLimits } from '../limits.ts';

export type ExportedSignal = 'traces' | 'metrics' | 'logs';

/** Where copies go. */
export interface ExportTarget {
  readonly endpoint: string;
  readonly protocol: 'http/protobuf' | 'grpc';
  /** They may contain a secret and are never shown. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `later`: the same rows may be accepted later, after this many milliseconds if given. */
export type ExportResult =
  | { readonly result: 'taken' }
  | { readonly result: 'later' | 'never'; readonly reason: string; readonly afterMs?: number };

/** A way to send that keeps its connection. */
export interface Courier {
  send(signal: ExportedSignal, body: Buffer): Promise<ExportResult>;
  close(): void;
}

export function createCourier(target: ExportTarget): Courier {
  return target.protocol === 'grpc' ? grpcCourier(target) : httpCourier(target);
}

function httpCourier({ endpoint, headers }: ExportTarget): Courier {
  const base = endpoint.replace(/\/$/, '');
  return {
    send: (signal, body) => sendHttp(new URL(`${base}/v1/${signal}`), gzipSync(body), headers),
    close: () => undefined,
  };
}

async function sendHttp(
  url: URL,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<ExportResult> {
  try {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const signal = AbortSignal.timeout(telemetryLimits.exportAnswerMsMax);
    const sentHeaders = {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
      'content-length': body.length,
      ...headers,
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(url, { method: 'POST', headers: sentHeaders, signal, agent: false }, resolve);
    call.on('error', reject);
    call.end(body);
    const answer = await promise;
    answer.on('error', () => undefined).resume();
    return judge(answer);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { result: 'later', reason: message || code || 'the connection failed' };
  }
}

/** The statuses that the specification calls retryable. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function judge({ statusCode = 0, headers }: IncomingMessage): ExportResult {
  if (statusCode >= 200 && statusCode < 300) return { result: 'taken' };
  const reason = `it answered with status ${statusCode}`;
  if (!passing.has(statusCode)) return { result: 'never', reason };
  const seconds = Number(headers['retry-after']);
  return { result: 'later', reason, ...(seconds > 0 ? { afterMs: seconds * 1_000 } : {}) };
}

const services: Readonly<Record<ExportedSignal, string>> = {
  traces: 'trace.v1.TraceService',
  metrics: 'metrics.v1.MetricsService',
  logs: 'logs.v1.LogsService',
};

const passingCodes: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
  status.RESOURCE_EXHAUSTED,
]);

function grpcCourier({ endpoint, headers }: ExportTarget): Courier {
  const { host, protocol } = new URL(endpoint);
  const secure = protocol === 'https:' ? credentials.createSsl() : credentials.createInsecure();
  const client = new Client(host, secure);
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name.toLowerCase(), value);
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    send: (signal, body) => {
      const { promise, resolve } = Promise.withResolvers<ExportResult>();
      const path = `/opentelemetry.proto.collector.${services[signal]}/Export`;
      const deadline =
        telemetryLimits.exportAnswerMsMax + performance.timeOrigin + performance.now();
      client.makeUnaryRequest(path, same, same, body, metadata, { deadline }, (error) => {
        if (!error) return resolve({ result: 'taken' });
        const result = passingCodes.has(error.code) ? 'later' : 'never';
        resolve({ result, reason: error.message });
      });
      return promise;
    },
    close: () => client.close(),
  };
}
