import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/http/contract.ts';
import { apiLimits } from '../src/http/limits.ts';
import { sharedLimits } from '../src/kernel/index.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

let workspace: Workspace;
let port: number;
let token: string;

beforeAll(async () => {
  workspace = new Workspace();
  ({ port } = await workspace.up());
  token = readFileSync(workspace.place.tokenFile, 'utf8').trim();
});
afterAll(() => workspace[Symbol.asyncDispose]());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

interface Received {
  readonly status: number;
  readonly connection: string | undefined;
  readonly body: { fault?: { code: string; message: string } } & Record<string, unknown>;
}

/** Node's own client: unlike fetch it sends any Host and Origin that it is told to. */
function send({ method = 'GET', path, headers = {}, body }: Sent): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  const authorization = `Bearer ${token}`;
  const options = { host: '127.0.0.1', port, method, path, headers: { authorization, ...headers } };
  const call = request(options, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { connection } = response.headers;
      resolve({ status: response.statusCode ?? 0, connection, body: JSON.parse(text) });
    });
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}

const note = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Received> =>
  send({ method: 'POST', path: '/v1/notes', body, headers });

describe('the API', () => {
  // proves: api.openapi
  test('serves an OpenAPI document with every operation, without a token', async () => {
    const { status, body } = await send({
      path: '/v1/openapi.json',
      headers: { authorization: '' },
    });
    const paths = body.paths as Record<string, Record<string, { security: unknown[] }>>;
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(status).toBe(200);
    expect(described.sort()).toEqual(Object.keys(operations).sort());
    expect(paths['/v1/status']?.get?.security).toEqual([{ token: [] }]);
  });

  // proves: daemon.token
  test.each([
    ['no token', { authorization: '' }],
    ['a wrong token', { authorization: 'Bearer wrong' }],
    ['a token that is a prefix', { authorization: 'Bearer ' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await send({ path: '/v1/status', headers });
    expect([status, body.fault?.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each(['', 'Basic ', 'Bearer'])('refuses a valid token after "%s"', async (scheme) => {
    const headers = { authorization: `${scheme}${token}` };
    const { status, body } = await send({ path: '/v1/status', headers });
    expect([status, body.fault?.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('keeps its token readable by its owner only', () => {
    expect(statSync(workspace.place.tokenFile).mode & 0o777).toBe(0o600);
    expect(statSync(workspace.place.state).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['a rebound host', { host: 'evil.example' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an origin that only begins like ours', { origin: 'http://127.0.0.1.evil.example' }],
    ['the origin of a sandboxed page', { origin: 'null' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await send({ path: '/v1/status', headers });
    expect([status, body.fault?.code]).toEqual([403, 'ORIGIN_REFUSED']);
  });

  // proves: api.contract
  test.each<[string, Sent, number, string, string]>([
    ['an unknown path', { path: '/v1/nothing' }, 404, 'NOT_FOUND', 'GET /v1/nothing'],
    ['an unknown method', { path: '/v1/notes' }, 404, 'NOT_FOUND', 'GET /v1/notes'],
    ['an unknown parameter', { path: '/v1/entries?form=1' }, 400, 'REQUEST_INVALID', 'form'],
    ['a bad number', { path: '/v1/entries?from=-1' }, 400, 'REQUEST_INVALID', 'from'],
    ['a number that is none', { path: '/v1/entries/abc' }, 400, 'REQUEST_INVALID', 'seq'],
    ['an entry that is not there', { path: '/v1/entries/999999' }, 404, 'NOT_FOUND', '999999'],
  ])('refuses %s', async (_, sent, status, code, reason) => {
    const received = await send(sent);
    expect([received.status, received.body.fault?.code]).toEqual([status, code]);
    expect(received.body.fault?.message).toContain(reason);
  });

  test.each<[string, string | Buffer, string]>([
    ['no body', '', 'JSON_INVALID'],
    ['half a body', '{"text":"x"', 'JSON_INVALID'],
    ['a duplicate key', '{"text":"a","text":"b"}', 'JSON_INVALID'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'JSON_INVALID'],
    ['a number that overflows', '{"text":1e400}', 'JSON_INVALID'],
    ['a missing field', '{}', 'REQUEST_INVALID'],
    ['an undeclared field', '{"text":"a","admin":true}', 'REQUEST_INVALID'],
    ['a field of another type', '{"text":7}', 'REQUEST_INVALID'],
    ['a list', '[]', 'REQUEST_INVALID'],
    ['a subject that cannot be one', '{"text":"a","subject":"a b"}', 'JSON_INVALID'],
  ])('refuses %s in a body', async (_, body, code) => {
    const { status, body: answer } = await note(body);
    expect([status, answer.fault?.code]).toEqual([400, code]);
  });

  // proves: kernel.limits
  test(`accepts at most ${sharedLimits.requestBytesMax} bytes in a request`, async () => {
    const body = (bytes: number): string => `{"text":"${'x'.repeat(bytes - 11)}"}`;
    // Within the limit of a request, but too much for one content: it got through the door.
    const within = await note(body(sharedLimits.requestBytesMax));
    expect(within.body.fault?.code).toBe('CONTENT_TOO_LARGE');
    const over = await note(body(sharedLimits.requestBytesMax + 1));
    expect([over.status, over.body.fault?.code]).toEqual([413, 'REQUEST_TOO_LARGE']);
    // The rest of the body is never read, so the connection cannot be used again.
    expect(over.connection).toBe('close');
    expect((await send({ path: '/v1/status' })).connection).toBe('keep-alive');
  });

  test(`returns at most ${apiLimits.apiPageEntriesMax} entries in a page`, async () => {
    const page = (limit: number): Promise<Received> => send({ path: `/v1/entries?limit=${limit}` });
    expect((await page(apiLimits.apiPageEntriesMax)).status).toBe(200);
    expect((await page(apiLimits.apiPageEntriesMax + 1)).body.fault?.code).toBe('REQUEST_INVALID');
    expect((await page(0)).body.fault?.code).toBe('REQUEST_INVALID');
  });

  test('writes once for an idempotency key and refuses another body under it', async () => {
    const headers = { 'idempotency-key': 'api-1' };
    const first = await note('{"text":"one"}', headers);
    const second = await note('{"text":"one"}', headers);
    const other = await note('{"text":"two"}', headers);
    expect(second.body).toEqual(first.body);
    expect([other.status, other.body.fault?.code]).toEqual([422, 'PROPOSAL_KEY_REUSED']);
  });

  test('survives a client that sends invalid HTTP', async () => {
    for (const nonsense of ['GET / HTTP/9.9\r\n\r\n', '\0\0\0\0', `GET /${'a'.repeat(99_999)}`]) {
      const socket = connect(port, '127.0.0.1');
      await new Promise<void>((resolve) => {
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.end(nonsense);
        socket.resume();
      });
    }
    expect((await send({ path: '/v1/health' })).body).toEqual({ ok: true });
  });
});

describe('the typed client', () => {
  // proves: api.client
  test('returns answers and throws faults', async () => {
    const client = workspace.client();
    const { seq } = await client.call('POST /v1/notes', { body: { text: 'typed' } });
    const { entry, contents } = await client.call('GET /v1/entries/{seq}', { path: { seq } });
    expect(entry).toMatchObject({ kind: 'note-added', seq });
    expect(contents).toEqual([expect.objectContaining({ name: 'text', value: 'typed' })]);
    await expect(
      client.call('GET /v1/entries/{seq}', { path: { seq: 999_999 } }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'There is no entry 999999.' });
  });

  // proves: api.stream
  test('streams the existing entries and then each new one without a gap', async () => {
    const client = workspace.client();
    const stop = new AbortController();
    const seen: number[] = [];
    const streaming = (async () => {
      const options = { signal: stop.signal };
      const stream = client.stream('GET /v1/entries/stream', { query: { from: 1 } }, options);
      for await (const { seq } of stream) seen.push(seq);
    })().catch(() => undefined);
    await until('the first entries are there', () => seen.length > 0);
    const { seq } = await client.call('POST /v1/notes', { body: { text: 'live' } });
    await until('the new entry is there', () => seen.includes(seq));
    stop.abort();
    await streaming;
    expect(seen).toEqual(seen.map((_, index) => index + 1));
  });
});
