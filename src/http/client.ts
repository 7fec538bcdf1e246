import http, { type IncomingMessage } from 'node:http';
import { Fault, type FaultReport, fault, faultFromReport } from '../kernel/index.ts';
import type { OperationInput, OperationKey, OperationResponse, Operations } from './contract.ts';
import { apiLimits } from './limits.ts';

export interface ClientOptions {
  readonly port: number;
  /** Where it is, if not on this machine's loopback. */
  readonly url?: string;
  readonly token: string;
  /** Told in the fault when nobody answers. */
  readonly directory: string;
}

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
  return {
    async call(key, input, callOptions = {}) {
      const response = await send(options, key, input as Parts, callOptions);
      return JSON.parse(await readText(response, options.directory));
    },
    async *stream(key, input, callOptions = {}) {
      const response = await send(options, key, input as Parts, callOptions);
      yield* readEvents(response, options.directory);
    },
  };
}

async function send(
  { port, url, token, directory }: ClientOptions,
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
  const base = new URL(url ?? `http://127.0.0.1:${port}`);
  const target = new URL(`${base.pathname.replace(/\/$/, '')}${path}?${search}`, base);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = { target, method, headers, text, directory };
  const response = await ask(request, options, method === 'GET' || options.key !== undefined);
  if (response.statusCode === 200) return response;
  throw await readFault(response, directory);
}

interface HttpRequest {
  readonly target: URL;
  readonly method: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly text: string | undefined;
  readonly directory: string;
}

/**
 * The daemon closes connections that are idle. A process that was too busy to notice would send its
 * next request into such a one: what may be repeated is then sent again, and what may not is sent
 * on a connection of its own.
 */
function ask(
  { target, method, headers, text, directory }: HttpRequest,
  options: CallOptions,
  isRepeatable: boolean,
): Promise<IncomingMessage> {
  const { signal, answerMsMax = apiLimits.daemonAnswerMsMax } = options;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // TLS takes 20 ms to load, and a daemon on this machine is asked without it.
  const { request: start } =
    target.protocol === 'https:' ? process.getBuiltinModule('node:https') : http;
  const connection = isRepeatable ? {} : { agent: false };
  const own = { method, headers, ...connection, ...(signal ? { signal } : {}) };
  const request = start(target, own, resolve);
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = request.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? '');
    if (!isStale || !isRepeatable) return reject(unreachable(error, directory));
    resolve(ask({ target, method, headers, text, directory }, options, isRepeatable));
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
