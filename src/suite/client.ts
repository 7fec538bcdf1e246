import { randomUUID } from 'node:crypto';
import { LaneNeeded, messageOf, required, type SuiteEnvironment, SuiteError } from './broken.ts';
import { type FaultRequest, faultMember, shareOf } from './fault-member.ts';

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the answer may take; 10 seconds unless told otherwise. */
  readonly withinMs?: number;
}

/** Sends requests to the system. Each carries the lane's key and an id of its own. */
export interface SuiteClient {
  get<Body = Json>(path: string, options?: RequestOptions): Promise<SuiteResponse<Body>>;
  post<Body = Json>(
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<SuiteResponse<Body>>;
  put<Body = Json>(
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<SuiteResponse<Body>>;
  patch<Body = Json>(
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<SuiteResponse<Body>>;
  delete<Body = Json>(path: string, options?: RequestOptions): Promise<SuiteResponse<Body>>;
  /** One that sends these headers, too. */
  withHeaders(headers: Readonly<Record<string, string>>): SuiteClient;
  /** One that sends this bearer token; null: none. It begins with TOKEN of the environment. */
  withToken(token: string | null): SuiteClient;
  /** One whose requests meet this fault on their way. */
  withFault(fault: FaultRequest): SuiteClient;
}

type Json = Record<string, unknown>;

/** What all clients of a suite share. */
export interface SuiteSession {
  readonly baseUrl: string;
  readonly headers: Headers;
  /** Is told every answer; the latest is what a check is about, unless told otherwise. */
  readonly onAnswer: (answer: SuiteResponse) => void;
}

export function openSession(
  environment: SuiteEnvironment,
  onAnswer: SuiteSession['onAnswer'],
): SuiteSession {
  const baseUrl = required(environment, 'BASE_URL', 'It says where the system is.');
  if (!URL.canParse(baseUrl)) throw new SuiteError(`BASE_URL is no address: ${baseUrl}`);
  const headers = new Headers(readHeaders(environment.HEADERS));
  const { TOKEN } = environment;
  if (TOKEN) headers.set('authorization', `Bearer ${TOKEN}`);
  return { baseUrl, headers, onAnswer };
}

export function readHeaders(text = '{}'): Record<string, string> {
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch {
    throw new SuiteError('HEADERS must be a JSON object, for example {"baggage":"key=value"}.');
  }
}

interface Injection {
  readonly member: string;
  readonly isNext: () => boolean;
}

export function createClient(
  session: SuiteSession,
  faults: readonly Injection[] = [],
): SuiteClient {
  const send = async <Body>(
    method: string,
    path: string,
    { body, headers, withinMs }: RequestOptions & { body?: unknown } = {},
  ): Promise<SuiteResponse<Body>> => {
    const all = merged(session.headers, { 'x-request-id': randomUUID(), ...headers });
    const members = faults.filter(({ isNext }) => isNext()).map(({ member }) => member);
    if (members.length > 0) all.append('baggage', `surety-fault=${members.join('|')}`);
    const url = new URL(path, session.baseUrl);
    const answer = await ask<Body>({ method, url, headers: all, body, withinMs });
    session.onAnswer(answer as SuiteResponse);
    return answer;
  };
  return {
    get: (path, options) => send('GET', path, options),
    post: (path, body, options) => send('POST', path, { ...options, body }),
    put: (path, body, options) => send('PUT', path, { ...options, body }),
    patch: (path, body, options) => send('PATCH', path, { ...options, body }),
    delete: (path, options) => send('DELETE', path, options),
    withHeaders: (headers) =>
      createClient({ ...session, headers: merged(session.headers, headers) }, faults),
    withToken: (token) => createClient({ ...session, headers: bearing(session, token) }, faults),
    withFault(fault) {
      const isKeyed = session.headers.get('baggage')?.includes('surety-lane=');
      if (!isKeyed) throw new LaneNeeded('A fault needs a lane: HEADERS carries no key of one.');
      const injection = { member: faultMember(fault), isNext: shareOf(fault) };
      return createClient(session, [...faults, injection]);
    },
  };
}

function bearing({ headers }: SuiteSession, token: string | null): Headers {
  const all = new Headers(headers);
  if (token === null) all.delete('authorization');
  else all.set('authorization', `Bearer ${token}`);
  return all;
}

/** Baggage is added to what there is: otherwise the key would be lost. */
function merged(headers: Headers, more: Readonly<Record<string, string>>): Headers {
  const all = new Headers(headers);
  for (const [name, value] of Object.entries(more)) {
    if (name.toLowerCase() === 'baggage') all.append(name, value);
    else all.set(name, value);
  }
  return all;
}

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

interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  readonly withinMs: number | undefined;
}

const withinMsDefault = 10_000;

async function ask<Body>(asked: SentRequest): Promise<SuiteResponse<Body>> {
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
