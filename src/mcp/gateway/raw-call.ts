import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { ProtocolError } from '@modelcontextprotocol/client';
import { fault, isJsonObject, type Json, type JsonObject, limits } from '../../kernel/index.ts';

/** Shorter than servers keep a connection: one that they just closed would put a call in doubt. */
const idleMsMax = 4_000;
const agent = new Agent({ keepAlive: true, timeout: idleMsMax });

export interface RawMessage {
  /** The whole message, as the client wrote it. */
  readonly text: string;
  readonly id: string | number;
}

export interface RawCall extends RawMessage {
  readonly tool: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Each of them ends it. */
  readonly signals: readonly AbortSignal[];
}

/** A call between client and server of the same revision: its body goes on byte for byte. */
export async function rawCall(call: RawCall): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(optionsOf(call), (response) => collect(response, resolve, reject));
  sent.on('error', reject);
  sent.end(call.text);
  const stop = stopping(call, (reason) => {
    // First of all, as what the connection says about its end tells nothing.
    reject(reason);
    sent.destroy();
  });
  try {
    return resultOf(call, await promise);
  } finally {
    stop();
  }
}

function optionsOf({ tool, text, url, headers }: RawCall): RequestOptions {
  return {
    method: 'POST',
    agent,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
  };
}

/** By hand: signals made of signals cost as much as the call itself. */
function stopping({ signals, timeoutMs }: RawCall, end: (reason: unknown) => void): () => void {
  const late = (): void => end(new DOMException('It took too long', 'TimeoutError'));
  const timer = setTimeout(late, timeoutMs);
  const ends = signals.map((signal) => {
    const stop = (): void => end(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return () => signal.removeEventListener('abort', stop);
  });
  return () => {
    clearTimeout(timer);
    for (const forget of ends) forget();
  };
}

interface Answer {
  readonly text: string;
  readonly status: number;
  readonly type: string;
}

function collect(
  response: IncomingMessage,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= limits.upstreamMessageBytesMax) return;
    const reason = `its answer is larger than ${limits.upstreamMessageBytesMax} bytes`;
    reject(fault('TOOL_IN_DOUBT', { reason }));
    response.destroy();
  });
  response.on('error', reject);
  response.on('end', () => {
    const { statusCode: status = 0, headers } = response;
    const text = Buffer.concat(chunks).toString('utf8');
    resolve({ text, status, type: headers['content-type'] ?? '' });
  });
}

/** The last message of a stream is the answer; what came before it was asked for by nobody. */
function messageIn({ text, type }: Answer): JsonObject {
  const last = type.startsWith('text/event-stream')
    ? text.split('\n').findLast((line) => line.startsWith('data:') && line.length > 6)
    : text;
  try {
    const message = JSON.parse(last?.replace(/^data:/, '') ?? '') as Json;
    return isJsonObject(message) ? message : {};
  } catch {
    return {};
  }
}

function resultOf({ tool, id }: RawCall, answer: Answer): JsonObject {
  const { result = null, error = null, id: answered } = messageIn(answer);
  const { status } = answer;
  if (isJsonObject(result)) {
    if (answered !== id) throw fault('TOOL_IN_DOUBT', { reason: 'it answered another call' });
    const { resultType: _, ...rest } = result;
    return rest;
  }
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    throw new ProtocolError(Number(code), String(message), data);
  }
  const reason = `it answered ${status} without a message`;
  if (status < 400 || status >= 500) throw fault('TOOL_IN_DOUBT', { reason });
  throw fault('TOOL_FAILED', { tool, reason }).with({ code: `HTTP_${status}` });
}
