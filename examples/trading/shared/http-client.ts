import { HttpError } from './http-error.ts';
import type { JsonObject } from './json-body.ts';
import type { Metrics } from './metrics.ts';

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** Of the request that is being served, so that the logs of all services can be joined. */
  requestId: string;
  timeoutMs?: number;
}

export interface Answer {
  status: number;
  body: JsonObject;
}

/** Calls one other service. Every answer of that service is returned; no answer at all is a 502. */
export type ServiceClient = (call: Call) => Promise<Answer>;

const TIMEOUT_MS = 5_000;

export function createClient(service: string, baseUrl: string, metrics: Metrics): ServiceClient {
  const calls = metrics.counter('dependency_calls_total', 'Calls to other services.');
  return async (call) => {
    try {
      const response = await send(baseUrl, call);
      const text = await response.text();
      calls.add({ dependency: service, status: String(response.status) });
      return { status: response.status, body: parse(service, response.status, text) };
    } catch (error) {
      if (error instanceof HttpError) throw error;
      calls.add({ dependency: service, status: 'none' });
      throw unreachable(service, error);
    }
  };
}

function send(baseUrl: string, call: Call): Promise<Response> {
  return fetch(new URL(call.path, baseUrl), {
    method: call.method,
    headers: { 'content-type': 'application/json', 'x-request-id': call.requestId },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal: AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS),
  });
}

function parse(service: string, status: number, text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    throw failed(service, `${status} with a body that is not JSON`);
  }
}

/**
 * The body of a good answer. A refusal (4xx) is passed on to our caller, a failure (5xx) is a 502.
 */
export function bodyOrThrow(service: string, answer: Answer): JsonObject {
  if (answer.status < 400) return answer.body;
  const { code, message } = (answer.body.error ?? {}) as { code?: string; message?: string };
  if (answer.status < 500) {
    throw new HttpError(answer.status, code ?? 'refused', message ?? `${service} refused.`);
  }
  throw failed(service, String(answer.status));
}

function failed(service: string, answered: string): HttpError {
  return new HttpError(502, `${service}_failed`, `${service} answered ${answered}.`);
}

function unreachable(service: string, cause: unknown): HttpError {
  const error = cause as Error & { cause?: { code?: string } };
  const reason = error.cause?.code ?? error.name;
  return new HttpError(502, `${service}_unreachable`, `${service} did not answer: ${reason}.`);
}
