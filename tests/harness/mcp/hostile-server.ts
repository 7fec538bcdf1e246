import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * A tool server that does not behave, in the way that its first argument names. Over stdio, or with
 * `http` as the second argument over HTTP; then it prints the port that it listens on.
 */
const [kind = '', over] = process.argv.slice(2);

type Send = (text: string) => boolean;
interface Request {
  readonly id?: string | number;
  readonly method?: string;
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const notification = (params: string): string =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":${params}}`;

/** Each is sent again and again, as fast as it goes. */
const floods: Readonly<Record<string, string>> = {
  notifications: notification('{"level":"info","data":"x"}'),
  requests: '{"jsonrpc":"2.0","id":"x","method":"roots/list"}',
  garbage: 'this is no JSON',
  'large-messages': notification(`{"level":"info","data":"${'x'.repeat(1_000_000)}"}`),
  // With much that is quickly read: a slow machine would not read as much of the rest in a minute.
  'deep-messages': notification(`{"data":${nested(20_000)},"text":"${'x'.repeat(500_000)}"}`),
  'tool-changes': '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
  answers: `{"jsonrpc":"2.0","id":4711,"result":{"text":"${'x'.repeat(10_000)}"}}`,
};

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });
let pages = 0;

function listed(): object {
  pages += 1;
  if (kind === 'endless-pages') {
    const description = 'x'.repeat(200_000);
    const tools = Array.from({ length: 10 }, (_, index) => ({
      ...tool(`t${pages}-${index}`),
      description,
    }));
    return { tools, nextCursor: String(pages) };
  }
  if (kind === 'many-tools') return { tools: Array.from({ length: 500_000 }, () => 1) };
  return { tools: [tool('work')] };
}

function answer({ id, method }: Request): string | undefined {
  if (id === undefined || kind === 'silent') return undefined;
  const result = (value: object): string => JSON.stringify({ jsonrpc: '2.0', id, result: value });
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1' };
    const capabilities = { tools: { listChanged: true } };
    return result({ protocolVersion: '2025-11-25', capabilities, serverInfo });
  }
  if (kind === 'modern' && method === 'server/discover') {
    const supportedVersions = ['2026-07-28'];
    const rest = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    return result({ supportedVersions, capabilities: {}, ...rest });
  }
  if (method === 'tools/list') return kind === 'silent-list' ? undefined : result(listed());
  if (method !== 'tools/call') {
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
  }
  const deep = kind === 'deep-answer' ? nested(5_000) : '[]';
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":${deep}}}`;
}

/** As long as the other side takes it. */
function flood(send: Send, onceFree: (go: () => void) => void): void {
  const text = floods[kind];
  if (text === undefined) return;
  const go = (): void => {
    while (send(text));
    onceFree(go);
  };
  go();
}

function serveStdio(): void {
  if (kind === 'crash') process.exit(3);
  const send: Send = (text) => process.stdout.write(`${text}\n`);
  if (kind === 'deaf') {
    setInterval(() => undefined, 60_000);
    return;
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request = JSON.parse(line) as Request;
    if (request.method === 'initialize') {
      // Asked for an older revision, it only says which process it is.
      if (kind === 'modern') return process.stderr.write(`${process.pid}\n`);
      if (kind === 'handshake') process.stdout.write(`${floods.notifications}\n`.repeat(7_000));
    }
    const text = answer(request);
    if (text !== undefined) send(text);
    if (request.method !== 'tools/list') return undefined;
    return setTimeout(() => {
      flood(send, (go) => process.stdout.once('drain', go));
      if (kind === 'endless-line') setInterval(() => process.stdout.write('x'.repeat(1e6)), 1);
      if (kind === 'error-output') setInterval(() => process.stderr.write('x'.repeat(1e6)), 1);
    }, 50);
  });
}

function serveHttp(): void {
  const server = createServer(async (incoming, outgoing) => {
    if (kind === 'silent') return;
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const events = { 'content-type': 'text/event-stream' };
    if (incoming.method === 'GET') {
      outgoing.writeHead(200, events);
      const send: Send = (text) => outgoing.write(`data: ${text}\n\n`);
      return flood(send, (go) => outgoing.once('drain', go));
    }
    const text = body === '' ? undefined : answer(JSON.parse(body) as Request);
    if (text === undefined) return outgoing.writeHead(202).end();
    if (kind === 'endless-answer' && body.includes('tools/call')) {
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      const pour = (): void => {
        while (outgoing.write('x'.repeat(100_000)));
        outgoing.once('drain', pour);
      };
      return pour();
    }
    return outgoing.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
}

process.stdout.on('error', () => process.exit(0));
if (over === 'http') serveHttp();
else serveStdio();
