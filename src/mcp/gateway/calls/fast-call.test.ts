import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { type RawCall, type RawServer, rawCall, rawServer } from '../http/raw-call.ts';
import { plainCall } from './fast-call.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const params = { name: 'add', arguments: { a: 1 }, _meta: meta };
const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
const right = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'add',
};

const isPlain = (body: Json, headers: Record<string, string> = right): boolean =>
  plainCall(new Request('http://x/', { headers }), body) !== undefined;

describe('the short way', () => {
  test('is for a plain call of the newer revision', () => {
    expect(isPlain(message)).toBe(true);
    const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    expect(isPlain(withMeta(able))).toBe(true);
  });

  const withMeta = (more: JsonObject): Json => ({
    ...message,
    params: { ...params, _meta: { ...meta, ...more } },
  });

  test.each<[string, Json, Record<string, string>?]>([
    ['progress', withMeta({ progressToken: 1 })],
    ['messages', withMeta({ 'io.modelcontextprotocol/logLevel': 'info' })],
    [
      'no word about capabilities',
      withMeta({ 'io.modelcontextprotocol/clientCapabilities': null }),
    ],
    ['an answer to a question', { ...message, params: { ...params, requestState: 'x' } }],
    // Programs that do not tell names by their case would take these for the others.
    ['a second set of parameters', { ...message, Params: { name: 'drop' } }],
    ['a second name', { ...message, params: { ...params, Name: 'drop' } }],
    ['no envelope', { ...message, params: { name: 'add', arguments: {} } }],
    ['another method', { ...message, method: 'tools/list' }],
    ['no id', { jsonrpc: '2.0', method: 'tools/call', params }],
    ['a batch', [message]],
    ['a header that contradicts', message, { ...right, 'mcp-name': 'other' }],
    ['no headers', message, {}],
  ])('is not for %s', (_, body, headers) => {
    expect(isPlain(body, headers)).toBe(false);
  });

  test.each<[string, string, number, string, object]>([
    [
      'a result',
      'application/json',
      200,
      '{"id":1,"result":{"content":[],"resultType":"complete"}}',
      { content: [] },
    ],
    [
      'a stream',
      'text/event-stream',
      200,
      'data: {"method":"x"}\n\ndata: {"id":1,"result":{"content":[]}}\n\n',
      { content: [] },
    ],
    [
      'a stream that goes on',
      'text/event-stream',
      200,
      'data: {"id":1,"result":{"content":[]}}\n\ndata: {"method":"x"}\n\n',
      { content: [] },
    ],
    [
      'a message of several lines',
      'text/event-stream',
      200,
      'event: message\r\ndata: {"id":1,\r\ndata:"result":{"content":[]}}\r\n\r\n',
      { content: [] },
    ],
  ])('hands the body on byte for byte, and reads %s', async (_, type, status, answer, result) => {
    const text = '{ "jsonrpc":"2.0","id" : 1, "params":{"arguments":{"a":1.50,"ä":"\\u00e4"}} }';
    const got: string[] = [];
    const { url, close } = await serve(type, status, answer, got);
    expect(await rawCall(callTo(url, { text }))).toEqual(result);
    expect(got).toEqual([text]);
    close();
  });

  test.each<[string, number, string, object]>([
    [
      'an error of the protocol',
      200,
      '{"error":{"code":-32050,"message":"no","data":1}}',
      { code: -32050, data: 1 },
    ],
    ['a refusal at the door', 403, 'no', { code: 'TOOL_FAILED' }],
    ['a server that broke', 500, 'oh', { code: 'TOOL_IN_DOUBT' }],
    ['garbage', 200, '{', { code: 'TOOL_IN_DOUBT' }],
    [
      'an error of another',
      200,
      '{"id":2,"error":{"code":-32050,"message":"no"}}',
      { code: 'TOOL_IN_DOUBT' },
    ],
    ['an answer to another', 200, '{"id":2,"result":{"content":[]}}', { code: 'TOOL_IN_DOUBT' }],
  ])('tells %s from a result', async (_, status, answer, error) => {
    const { url, close } = await serve('application/json', status, answer, []);
    await expect(rawCall(callTo(url))).rejects.toMatchObject(error);
    close();
  });

  test.each([
    ['its time is over', { timeoutMs: 1 }],
    ['its caller ends it', { signals: [AbortSignal.timeout(1)] }],
    ['it was ended before', { signals: [AbortSignal.abort()] }],
  ])('is left alone when %s', async (_, ending) => {
    const { url, close } = await serveNothing();
    const name = expect.stringMatching(/^(?:Timeout|Abort)Error$/);
    await expect(rawCall(callTo(url, ending))).rejects.toMatchObject({ name });
    close();
  });
});

function callTo(url: URL, more: Partial<RawCall> = {}): RawCall {
  const message = { tool: 'add', id: 1, text: '{}' };
  const server = rawServer(url, {}) as RawServer;
  return { ...message, ...server, headers: {}, timeoutMs: 5_000, signals: [], ...more };
}

async function serveNothing() {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return { url, close: () => server.close().closeAllConnections() };
}

async function serve(type: string, status: number, answer: string, got: string[]) {
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
    got.push(text);
    response.writeHead(status, { 'content-type': type, connection: 'close' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return { url, close: () => server.close() };
}
