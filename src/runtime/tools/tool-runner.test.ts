import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compilePolicy, type ToolCall } from '../../gate/index.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { runtimeLimits } from '../limits.ts';
import { createToolRunner } from './tool-runner.ts';

let server: Server;
let url: string;
let seen: { method: string; path: string; headers: IncomingMessage['headers']; body: string };
let requests = 0;
let answer: { status: number; body: string | Buffer; headers?: Record<string, string> } = {
  status: 200,
  body: '{}',
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    seen = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
    };
    if (answer.status === 0) request.socket.destroy();
    else response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function run(runner: object, given: JsonObject, more: Partial<ToolCall> = {}) {
  const policy = compilePolicy({
    version: 1,
    tools: { t: { effect: 'mutating', arguments: { type: 'object' }, run: runner } },
  } as never);
  const contract = policy.contracts.get('t');
  if (!contract) throw new Error('no contract');
  const signal = AbortSignal.timeout(10_000);
  const call = { contract, arguments: given, key: 'k1', proposal: 'prop_1', leases: [], signal };
  return createToolRunner(new Map(), { URL: url })({ ...call, ...more });
}

const post = (path: string) => ({ http: { method: 'POST', url: `\${URL}${path}` } });

describe('an HTTP tool', () => {
  test('sends arguments in path and body, and key, proposal and fence as headers', async () => {
    answer = { status: 201, body: '{"id":"r1"}' };
    const lease = { resource: 'lock:x', owner: 'p', fence: 7, expiresAt: 1, reap: '' };
    const given = { id: 'o/1', amount: 5 };
    expect(await run(post('/orders/{id}/refunds'), given, { leases: [lease] })).toEqual({
      id: 'r1',
    });
    expect(seen).toMatchObject({
      method: 'POST',
      path: '/orders/o%2F1/refunds',
      body: '{"amount":5}',
    });
    expect(seen.headers).toMatchObject({
      'idempotency-key': 'k1',
      'surety-proposal': 'prop_1',
      'surety-fence': 'lock:x=7',
    });
  });

  test('refuses an argument that leads to another endpoint before it sends anything', async () => {
    answer = { status: 200, body: '{}' };
    const before = requests;
    const remove = { http: { method: 'DELETE', url: '${URL}/shops/7/orders/{id}' } };
    for (const id of ['', '.', '..']) {
      const outcome = await run(remove, { id }).catch((error) => error);
      expect(outcome).toMatchObject({ code: 'TOOL_FAILED' });
    }
    expect(requests).toBe(before);
  });

  test('sends the other arguments of a GET as a query', async () => {
    answer = { status: 200, body: '[]' };
    const runner = { http: { method: 'GET', url: '${URL}/find' } };
    await run(runner, { key: 'a&b', limit: 2 });
    expect(seen).toMatchObject({ method: 'GET', path: '/find?key=a%26b&limit=2', body: '' });
  });

  test.each<[number, string]>([
    [400, 'TOOL_FAILED'],
    [409, 'TOOL_FAILED'],
    [408, 'TOOL_IN_DOUBT'],
    [425, 'TOOL_IN_DOUBT'],
    [500, 'TOOL_IN_DOUBT'],
    [503, 'TOOL_IN_DOUBT'],
    [302, 'TOOL_IN_DOUBT'],
  ])('treats a response of %d as %s', async (status, code) => {
    answer = { status, body: 'no' };
    const outcome = await run(post('/x'), {}).catch((error) => error);
    expect(outcome).toMatchObject({ code });
  });

  test('accepts a response up to the size limit and no larger', async () => {
    const text = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    answer = { status: 200, body: text(runtimeLimits.toolResultBytesMax) };
    expect(String(await run(post('/x'), {})).length).toBe(runtimeLimits.toolResultBytesMax - 2);
    answer = { status: 200, body: text(runtimeLimits.toolResultBytesMax + 1) };
    await expect(run(post('/x'), {})).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
  });

  test.each(['{"a":1,"a":2}', 'thank you', '{"a":1e400}'])(
    'is in doubt after a success with the unreadable body %s',
    async (body) => {
      answer = { status: 200, body };
      await expect(run(post('/x'), {})).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
    },
  );

  test('reads a response that is compressed although nobody asked for it', async () => {
    const headers = { 'content-encoding': 'gzip' };
    answer = { status: 200, body: gzipSync('{"id":"r2"}'), headers };
    expect(await run(post('/x'), {})).toEqual({ id: 'r2' });
  });

  test.each<[string, Record<string, string>]>([
    ['no gzip', { 'content-encoding': 'gzip' }],
    ['cut off', { 'content-length': '100', connection: 'close' }],
  ])('is in doubt after an unreadable response: %s', async (_, headers) => {
    answer = { status: 200, body: '{"not":"all"}', headers };
    const outcome = await run(post('/x'), {}).catch((error) => error);
    expect(outcome).toMatchObject({ code: 'TOOL_IN_DOUBT' });
  });

  test('fails if nobody listens and is in doubt after a broken connection', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await new Promise((resolve) => other.close(resolve));
    const nowhere = { http: { method: 'POST', url: `http://127.0.0.1:${port}/x` } };
    await expect(run(nowhere, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    answer = { status: 0, body: '' };
    await expect(run(post('/x'), {})).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
  });

  test('does not send the number of a shared tool slot as a fence', async () => {
    answer = { status: 200, body: '{}' };
    const place = { resource: 'tool:t', owner: 'p', fence: 3, expiresAt: 1, reap: '' };
    await run(post('/x'), {}, { leases: [place] });
    expect(seen.headers['surety-fence']).toBeUndefined();
  });

  test('reports a missing variable before it sends anything', async () => {
    const runner = { http: { method: 'POST', url: '${NOWHERE}/x' } };
    await expect(run(runner, {})).rejects.toMatchObject({ code: 'RUNNER_VARIABLE_MISSING' });
  });
});

describe('a command tool', () => {
  const command = (...words: string[]) => ({ command: words });

  test('reads arguments on standard input and writes its result to standard output', async () => {
    const program =
      'process.stdin.on("data", (d) => console.log(JSON.stringify({got: JSON.parse(d)})))';
    expect(await run(command(process.execPath, '-e', program), { a: 1 })).toEqual({
      got: { a: 1 },
    });
  });

  test('is in doubt after exit code 0 with output that is not JSON', async () => {
    const spoken = run(command(process.execPath, '-e', 'console.log("done")'), {});
    await expect(spoken).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
  });

  test('fails on another exit code, with its error output', async () => {
    const program = 'console.error("no such order"); process.exit(2)';
    await expect(run(command(process.execPath, '-e', program), {})).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('no such order'),
      details: { code: 'EXIT_2' },
    });
  });

  test('is in doubt if it was killed and fails if it does not exist', async () => {
    const program = 'process.kill(process.pid, "SIGKILL")';
    await expect(run(command(process.execPath, '-e', program), {})).rejects.toMatchObject({
      code: 'TOOL_IN_DOUBT',
    });
    await expect(run(command('/nowhere/at-all'), {})).rejects.toMatchObject({
      code: 'TOOL_FAILED',
    });
  });
});
