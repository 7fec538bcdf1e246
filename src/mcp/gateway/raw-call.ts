import { Agent, type IncomingMessage, request } from 'node:http';
import { ProtocolError } from '@modelcontextprotocol/client';
import { fault, isJsonObject, type Json, type JsonObject, limits } from '../../kernel/index.ts';

const agent = new Agent({ keepAlive: true });

export interface RawCall {
  readonly tool: string;
  /** The whole message, as the client wrote it. */
  readonly text: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A call between client and server of the same revision: its body goes on byte for byte. */
export async function rawCall({ tool, text, url, headers, signal }: RawCall): Promise<JsonObject> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(url, {
    method: 'POST',
    agent,
    signal,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
  });
  sent.on('response', resolve).on('error', reject);
  sent.end(text);
  const response = await promise;
  const answer = answerIn(await readText(response), response.headers['content-type'] ?? '');
  return resultOf(tool, answer, response.statusCode ?? 0);
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limits.upstreamMessageBytesMax) {
      const reason = `its answer is larger than ${limits.upstreamMessageBytesMax} bytes`;
      throw fault('TOOL_IN_DOUBT', { reason });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The last message of a stream is the answer; what came before it was asked for by nobody. */
function answerIn(text: string, type: string): Json {
  const last = type.startsWith('text/event-stream')
    ? text.split('\n').findLast((line) => line.startsWith('data:') && line.length > 6)
    : text;
  try {
    return JSON.parse(last?.replace(/^data:/, '') ?? '') as Json;
  } catch {
    return null;
  }
}

function resultOf(tool: string, answer: Json, status: number): JsonObject {
  const { result, error } = isJsonObject(answer) ? answer : {};
  if (isJsonObject(result ?? null)) {
    const { resultType: _, ...rest } = result as JsonObject;
    return rest;
  }
  if (isJsonObject(error ?? null)) {
    const { code, message, data } = error as JsonObject;
    throw new ProtocolError(Number(code), String(message), data);
  }
  const reason = `it answered ${status} without a message`;
  if (status < 400 || status >= 500) throw fault('TOOL_IN_DOUBT', { reason });
  throw fault('TOOL_FAILED', { tool, reason }).with({ code: `HTTP_${status}` });
}
