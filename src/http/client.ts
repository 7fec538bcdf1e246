import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import { Fault, type FaultReport, fault, faultFromReport } from '../kernel/index.ts';
import type { OperationInput, OperationKey, OperationResponse, Operations } from './contract.ts';
import { apiLimits } from './limits.ts';
import { ProvenAgent } from './proven-connection.ts';

/** A socket that only the owner of the daemon can listen on, or an address that anybody could. */
type DaemonEndpoint = { readonly socketPath: string } | { readonly url: string };

export type ClientOptions = DaemonEndpoint & {
  readonly token: string;
  /** Told in the fault when nobody answers. */
  readonly directory: string;
};

type StreamKey = {
  [Key in OperationKey]: Operations[Key] extends { readonly stream: true } ? Key : never;
}[OperationKey];

type PlainKey = Exclude<OperationKey, StreamKey>;

export interface CallOptions {
  readonly key?: string;
  readonly signal?: AbortSignal;
  /** How long to wait for the answer to begin. */
  readonly answerMsMax?: number;
}

/**
 * Typed by the contract but loads nothing of it: a command that asks one question must not pay for
 * a schema library.
 */
export interface Client {
  call<Key extends PlainKey>(
    key: Key,
    input: OperationInput<Key>,
    options?: CallOptions,
  ): Promise<OperationResponse<Key>>;
  stream<Key extends StreamKey>(
    key: Key,
    input: OperationInput<Key>,
    options?: CallOptions,
  ): AsyncIterable<OperationResponse<Key>>;
}

interface Parts {
  readonly path?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly body?: unknown;
}

export function createClient(options: ClientOptions): Client {
  const { token, directory } = options;
  const daemon = { route: routeTo(options), token, directory };
  return {
    async call(key, input, callOptions = {}) {
      const response = await send(daemon, key, input as Parts, callOptions);
      return JSON.parse(await readText(response, directory));
    },
    async *stream(key, input, callOptions = {}) {
      const response = await send(daemon, key, input as Parts, callOptions);
      yield* readEvents(response, directory);
    },
  };
}

/** How requests reach the daemon, on a connection that may be kept and on one of its own. */
interface Route {
  readonly start: typeof http.request;
  readonly prefix: string;
  readonly kept: RequestOptions;
  readonly single: RequestOptions;
}

/** The token is sent to nobody who has not proven that he knows it. */
function routeTo(options: ClientOptions): Route {
  if ('socketPath' in options) {
    const { socketPath } = options;
    const kept = { socketPath, host: 'localhost' };
    return { start: http.request, prefix: '', kept, single: { ...kept, agent: false } };
  }
  const { protocol, hostname, port, pathname } = new URL(options.url);
  const prefix = pathname.replace(/\/$/, '');
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, ...(port === '' ? {} : { port }) };
  if (protocol === 'https:') {
    // TLS proves who answers. It takes 20 ms to load, and a daemon on this machine needs none.
    const { request: start } = process.getBuiltinModule('node:https');
    return { start, prefix, kept: to, single: { ...to, agent: false } };
  }
  const agent = (keepAlive: boolean): ProvenAgent => new ProvenAgent(options.token, { keepAlive });
  const routes = { kept: { ...to, agent: agent(true) }, single: { ...to, agent: agent(false) } };
  return { start: http.request, prefix, ...routes };
}

interface Daemon {
  readonly route: Route;
  readonly token: string;
  readonly directory: string;
}

async function send(
  { route, token, directory }: Daemon,
  key: string,
  { path: parameters = {}, query = {}, body }: Parts,
  options: CallOptions,
): Promise<IncomingMessage> {
  const [method = '', template = ''] = key.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(String(parameters[name])),
  );
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
  };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = { route, path: `${path}?${search}`, method, headers, text, directory };
  const response = await ask(request, options, method === 'GET' || options.key !== undefined);
  if (response.statusCode === 200) return response;
  throw await readFault(response, directory);
}

interface HttpRequest {
  readonly route: Route;
  readonly path: string;
  readonly method: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly text: string | undefined;
  readonly directory: string;
}

/** Between attempts to connect to a daemon that has too many connections to accept. */
const crowdedPauseMs = 50;

/**
 * The daemon closes connections that are idle. A process that was too busy to notice would send its
 * next request into such a one: what may be repeated is then sent again, and what may not is sent
 * on a connection of its own. If too many others wait for the daemon to accept them, nothing was
 * sent, and the client tries again for as long as it would wait for an answer.
 */
function ask(
  asked: HttpRequest,
  options: CallOptions,
  isRepeatable: boolean,
  attempt = 1,
): Promise<IncomingMessage> {
  const { route, path, method, headers, text, directory } = asked;
  const { signal, answerMsMax = apiLimits.daemonAnswerMsMax } = options;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { start, prefix, kept, single } = route;
  const connection = isRepeatable ? kept : single;
  const own = { ...connection, path: `${prefix}${path}`, method, headers };
  const request = start({ ...own, ...(signal ? { signal } : {}) }, resolve);
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? '');
    const isCrowded = error.code === 'EAGAIN' && attempt * crowdedPauseMs < answerMsMax;
    const again = (): void => resolve(ask(asked, options, isRepeatable, attempt + 1));
    if (isCrowded) return void setTimeout(again, crowdedPauseMs);
    if (!isStale || !isRepeatable) return reject(unreachable(error, directory));
    again();
  });
  // Until the answer begins only: a stream may then be silent for as long as nothing happens.
  request.setTimeout(answerMsMax, () => {
    const seconds = Math.ceil(answerMsMax / 1_000);
    request.destroy(fault('DAEMON_SILENT', { directory, seconds }));
  });
  request.on('response', () => request.setTimeout(0));
  request.end(text);
  return promise;
}

function unreachable(error: Error, directory: string): Error {
  if (error.name === 'AbortError' || error instanceof Fault) return error;
  return fault('DAEMON_NOT_RUNNING', { directory }, error);
}

async function readFault(response: IncomingMessage, directory: string): Promise<Error> {
  const text = await readText(response, directory);
  try {
    return faultFromReport((JSON.parse(text) as { fault: FaultReport }).fault);
  } catch {
    const detail = `the daemon answered ${response.statusCode}: ${text.slice(0, 200)}`;
    return fault('INTERNAL', { detail });
  }
}

async function readText(response: IncomingMessage, directory: string): Promise<string> {
  let text = '';
  for await (const chunk of readChunks(response, directory)) text += chunk;
  return text;
}

/** A daemon may be killed in the middle of its answer, too. */
async function* readChunks(response: IncomingMessage, directory: string): AsyncGenerator<string> {
  response.setEncoding('utf8');
  try {
    yield* response;
  } catch (error) {
    throw unreachable(error as Error, directory);
  }
}

/** Server-sent events, as far as our own server uses them. */
async function* readEvents<Event>(
  response: IncomingMessage,
  directory: string,
): AsyncGenerator<Event> {
  let buffer = '';
  for await (const chunk of readChunks(response, directory)) {
    buffer += chunk;
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = readField(block, 'data');
      if (data === undefined) continue;
      if (readField(block, 'event') === 'fault') throw faultFromReport(JSON.parse(data));
      yield JSON.parse(data) as Event;
    }
  }
}

function readField(block: string, name: string): string | undefined {
  const line = block.split('\n').find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trimStart();
}
