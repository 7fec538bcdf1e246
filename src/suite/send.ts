import { messageOf, SuiteError } from './broken.ts';

export interface SuiteResponse<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  /** What the JSON says; the text where it is no JSON. */
  readonly body: Body;
  readonly text: string;
  /** By which services log it, and by which a verdict finds its path. */
  readonly requestId: string;
  readonly durationMs: number;
}

export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  readonly withinMs: number | undefined;
}

const withinMsDefault = 10_000;

export async function ask<Body>(asked: SentRequest): Promise<SuiteResponse<Body>> {
  const { method, url, headers, withinMs = withinMsDefault } = asked;
  const startedMs = performance.now();
  const { body, type } = encoded(asked.body);
  if (type && !headers.has('content-type')) headers.set('content-type', type);
  try {
    const signal = AbortSignal.timeout(withinMs);
    const response = await fetch(url, { method, headers, body, redirect: 'manual', signal });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: decoded(text) as Body,
      text,
      requestId: headers.get('x-request-id') ?? response.headers.get('x-request-id') ?? '',
      durationMs: performance.now() - startedMs,
    };
    checkLane(answer);
    return answer;
  } catch (error) {
    throw failure(error, asked, withinMs);
  }
}

function encoded(body: unknown): { body: string | null; type: string | null } {
  if (body === undefined) return { body: null, type: null };
  if (typeof body === 'string') return { body, type: 'text/plain' };
  return { body: JSON.stringify(body), type: 'application/json' };
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The router itself says that the lane is over: what was asked never got to the system. */
function checkLane({ headers, body }: SuiteResponse<unknown>): void {
  const code = headers.get('x-surety-refused');
  if (code !== 'LANE_UNKNOWN' && code !== 'INJECTION_INVALID') return;
  throw new SuiteError((body as { fault?: { message?: string } })?.fault?.message ?? code);
}

/** Nobody there is no fault of the system; an answer that does not come, or breaks off, is. */
function failure(error: unknown, { method, url }: SentRequest, withinMs: number): Error {
  if (error instanceof SuiteError) return error;
  const what = `${method} ${url.pathname}`;
  const { name, cause } = error as Error & { cause?: { code?: string } };
  if (name === 'TimeoutError') return new Error(`${what} had no answer within ${withinMs} ms`);
  const code = cause?.code ?? '';
  const isAway = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH'].includes(code);
  if (isAway) return new SuiteError(`Nobody is at ${url.origin}: ${messageOf(error)}`);
  return new Error(`${what} failed: ${messageOf(error)}`, { cause: error });
}
