import { randomUUID } from 'node:crypto';
import { required, type SuiteEnvironment, SuiteError } from './broken.ts';
import { type FaultRequest, faultMember, shareOf } from './fault-member.ts';
import { ask, type SuiteResponse } from './send.ts';

export type { SuiteResponse } from './send.ts';

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
      if (!isKeyed) throw new SuiteError('A fault needs a lane: HEADERS carries no key of one.');
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
