import { ProtocolError } from '@modelcontextprotocol/client';
import { fault, isJsonObject, type Json, type JsonObject } from '../../../kernel/index.ts';
import { exactResult, shallow, unreadableReason } from '../upstream/exact-json.ts';
import type { HttpAnswer } from './http-answer.ts';
import { HttpLines } from './http-lines.ts';

export interface RawMessage {
  /** The whole message, as the client wrote it. */
  readonly text: string;
  readonly id: string | number;
}

/** Where a server is, and what every request to it begins with. */
export interface RawServer {
  readonly lines: HttpLines;
  readonly head: string;
}

export interface RawCall extends RawMessage, RawServer {
  readonly tool: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Each of them ends it. */
  readonly signals: readonly AbortSignal[];
}

/** A call between client and server of the same revision: its body goes on byte for byte. */
export async function rawCall(call: RawCall): Promise<JsonObject> {
  const { answer, abandon } = call.lines.send(requestOf(call));
  const stop = stopping(call, abandon);
  try {
    return resultOf(call, await answer);
  } finally {
    stop();
  }
}

/** Undefined where the SDK knows better: over anything else than plain HTTP. */
export function rawServer(
  url: URL,
  headers: Readonly<Record<string, string>>,
): RawServer | undefined {
  const head = headOf(url, headers);
  const isPlain = url.protocol === 'http:' && url.username === '';
  return isPlain && head !== undefined ? { lines: new HttpLines(url), head } : undefined;
}

/** Undefined where headers are wished for that are no plain ones. */
function headOf(
  { host, pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const given = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  if (!given.every(([name, value]) => isFreeName(name) && isHeaderValue(value))) return undefined;
  const fields = Object.entries({ host, ...Object.fromEntries(given), ...always });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}`;
}

const ownNames = new Set(['host', 'content-length', 'transfer-encoding', 'connection', 'expect']);

function isFreeName(name: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && !ownNames.has(name);
}

const always = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
};

export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

function requestOf({ head, tool, headers, text }: RawCall): string {
  let lines = `mcp-name: ${tool}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`;
  return `${head}${lines}\r\n${text}`;
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

/** What else comes in a stream was asked for by nobody. */
function messageIn({ text, type }: HttpAnswer): JsonObject {
  if (!type.startsWith('text/event-stream')) return messageOf(text);
  const events = text.replace(/\r\n?/g, '\n').split('\n\n');
  const messages = events.map((event) => messageOf(dataOf(event)));
  return messages.findLast((one) => 'result' in one || 'error' in one) ?? {};
}

function dataOf(event: string): string {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length)).join('\n');
}

function messageOf(text: string): JsonObject {
  try {
    const read = shallow(text) ?? '';
    const message = JSON.parse(read) as Json;
    if (!isJsonObject(message)) return {};
    const result = 'result' in message ? exactResult(read) : undefined;
    return result ? { ...message, result } : message;
  } catch {
    return {};
  }
}

function resultOf({ tool, id }: RawCall, answer: HttpAnswer): JsonObject {
  const { result = null, error = null, id: answered = null } = messageIn(answer);
  const { status } = answer;
  // Whoever could not read the call does not know its id, and says null.
  const isForAnother = answered !== id && (answered !== null || isJsonObject(result));
  if (isForAnother) throw fault('TOOL_IN_DOUBT', { reason: 'it answered another call' });
  if (isJsonObject(result)) {
    const unread = unreadableReason(result);
    if (unread !== undefined) throw fault('TOOL_IN_DOUBT', { reason: unread });
    const { resultType, ...rest } = result;
    return resultType === 'input_required' ? result : rest;
  }
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    throw new ProtocolError(Number(code), String(message), data);
  }
  const reason = `it answered ${status} without a message`;
  if (status < 400 || status >= 500) throw fault('TOOL_IN_DOUBT', { reason });
  throw fault('TOOL_FAILED', { tool, reason }).with({ code: `HTTP_${status}` });
}
