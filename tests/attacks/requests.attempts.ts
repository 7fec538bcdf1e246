import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { readDaemonFile } from '../../src/runtime/state-files.ts';
import { type Attempt, attemptsOf } from './attempt.ts';
import type { GuardedScene } from './guarded-scene.ts';

type Attack = Attempt<GuardedScene>['attack'];

/** Asks for the status with these headers, without a token unless one of them carries it. */
const ask =
  (headers: (token: string) => Record<string, string>, operation = 'GET /v1/status'): Attack =>
  async (scene) =>
    (await scene.call(null, operation, undefined, headers(scene.token('owner')))).verdict;

const authorized = (make: (token: string) => string): Attack =>
  ask((token) => ({ authorization: make(token) }));

/** Sends a request of this first line and these headers. TOKEN and PORT are replaced. */
const send =
  (first: string, headers: readonly string[] = [], body: string | Buffer = ''): Attack =>
  (scene) =>
    scene.sendBytes(head(scene, [first, ...headers], body));

function head(scene: GuardedScene, lines: readonly string[], body: string | Buffer): Buffer {
  const text = `${lines.join('\r\n')}\r\n\r\n`
    .replaceAll('TOKEN', scene.token('owner'))
    .replaceAll('PORT', String(scene.port));
  return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(body)]);
}

const loopback = 'host: 127.0.0.1:PORT';
const bearer = 'authorization: Bearer TOKEN';
const close = 'connection: close';
const noteBody = '{"text":"smuggled"}';

/** Writes a note as the owner may, but with other framing. */
const frame = (lines: readonly string[], body: string | Buffer = noteBody): Attack =>
  send('POST /v1/notes HTTP/1.1', [loopback, bearer, ...lines], body);

/** Writes a note of these bytes. */
const write = (body: string | Buffer, ...lines: string[]): Attack =>
  frame([close, ...lines, `content-length: ${Buffer.byteLength(body)}`], body);

/** Writes a note that is small until somebody unpacks it. */
const bomb =
  (coding: string, pack: (bytes: Buffer) => Buffer): Attack =>
  (scene, begin) =>
    write(pack(large()), `content-encoding: ${coding}`)(scene, begin);

/** Hides a note of the owner in the body of a request that needs no token. */
const hide =
  (lines: (size: number) => string[], before = ''): Attack =>
  (scene) => {
    const hidden = [`POST /v1/notes HTTP/1.1`, loopback, bearer, close, 'content-length: 19'];
    const body = Buffer.concat([Buffer.from(before), head(scene, hidden, noteBody)]);
    return send('POST /v1/proof HTTP/1.1', [loopback, ...lines(body.length)], body)(scene, later);
  };
const later = async (): Promise<void> => undefined;

const host = (value: string): Attack =>
  send('GET /v1/status HTTP/1.1', [`host: ${value}`, bearer, close]);
const target = (path: string, method = 'GET'): Attack =>
  send(`${method} ${path} HTTP/1.1`, [loopback, close]);
const origin = (value: string): Attack =>
  ask((token) => ({ authorization: `Bearer ${token}`, origin: value }));

const preflight =
  (value: string): Attack =>
  async (scene) => {
    const headers = {
      origin: value,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const reply = await scene.call(null, 'OPTIONS /v1/notes', undefined, headers);
    return reply.headers.get('access-control-allow-origin') ?? 'no permission for the page';
  };

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const large = (): Buffer => Buffer.from(`{"text":"${'a'.repeat(16 * 1024 * 1024)}"}`);
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const over = 8 * 1024 * 1024 + 1;
const nested = (depth: number): string => `{"text":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/** Signals the daemon to open a debugger, and looks whether one listens. */
const openDebugger = async ({ workspace }: GuardedScene): Promise<string> => {
  const { pid } = readDaemonFile(workspace.place) ?? { pid: 0 };
  process.kill(pid, 'SIGUSR1');
  await workspace.client().call('GET /v1/health', {});
  const log = readFileSync(join(workspace.place.logs, 'daemon.log'), 'utf8');
  return log.includes('Debugger listening') ? 'a debugger' : 'no debugger';
};

export const tokenAttempts = attemptsOf<GuardedScene>('another local user', [
  ['finds a debugger that a signal opened in the daemon', 'no debugger', openDebugger],
  ['sends no token', '401 UNAUTHORIZED', ask(() => ({}))],
  ['sends an empty bearer token', '401 UNAUTHORIZED', authorized(() => 'Bearer ')],
  [
    'sends the token with another last character',
    '401 UNAUTHORIZED',
    authorized((token) => `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`),
  ],
  [
    'sends the first half of the token',
    '401 UNAUTHORIZED',
    authorized((token) => `Bearer ${token.slice(0, token.length / 2)}`),
  ],
  ['sends the token with more text', '401 UNAUTHORIZED', authorized((token) => `Bearer ${token}x`)],
  [
    'sends the SHA-256 of the token, which clients send to /v1/proof',
    '401 UNAUTHORIZED',
    authorized((token) => `Bearer ${sha256(token)}`),
  ],
  [
    'sends the token as the password of Basic authentication',
    '401 UNAUTHORIZED',
    authorized((token) => `Basic ${btoa(`owner:${token}`)}`),
  ],
  ['sends the token without a scheme', '401 UNAUTHORIZED', authorized((token) => token)],
  [
    'sends the token as a cookie',
    '401 UNAUTHORIZED',
    ask((token) => ({ cookie: `token=${token}; authorization=Bearer ${token}` })),
  ],
  [
    'sends the name of the owner as a token',
    '401 UNAUTHORIZED',
    authorized(() => 'Bearer person:owner'),
  ],
  [
    'names the owner in headers of proxies',
    '401 UNAUTHORIZED',
    ask(() => ({
      'x-forwarded-user': 'owner',
      'x-remote-user': 'owner',
      'x-forwarded-for': '::1',
    })),
  ],
  [
    'sends a wrong and a right token in two headers',
    '401',
    send('GET /v1/status HTTP/1.1', [loopback, 'authorization: Bearer no', bearer, close]),
  ],
  [
    'asks for the proof of the daemon without knowing a token',
    '401 UNAUTHORIZED',
    async (scene) => {
      const body = { tokenHash: sha256('guessed'), nonce: 'n'.repeat(32) };
      return (await scene.call(null, 'POST /v1/proof', body)).verdict;
    },
  ],
  ['leaves an open path by ..', '401', target('/v1/health/../status')],
  ['leaves an open path by an encoded ..', '401', target('/v1/health/%2e%2e/status')],
  ['leaves an open path by an encoded slash', '404', target('/v1/health%2f..%2fstatus')],
  ['doubles the slash before a path', '404', target('//v1/status')],
  ['writes a path in capitals', '404', target('/V1/STATUS')],
  ['encodes a letter of a path', '401', target('/v1/%73tatus')],
  ['adds a parameter to an open path', '401', target('/v1/health;/../status')],
  ['reads the token file through the API', '404', target('/../../.surety/token')],
  [
    'reads the token file by an encoded path',
    '404',
    target('/.well-known/..%2f..%2f.surety%2ftoken'),
  ],
  ['names another server in the request target', '401', target('http://evil.example/v1/status')],
  ['uses the daemon as a proxy by CONNECT', 'closed', target('evil.example:80', 'CONNECT')],
  ['has its headers returned by TRACE', '404', target('/v1/status', 'TRACE')],
  [
    'overrides the method by a header',
    '404 NOT_FOUND',
    ask(
      (token) => ({ authorization: `Bearer ${token}`, 'x-http-method-override': 'POST' }),
      'GET /v1/system/down',
    ),
  ],
]);

export const framingAttempts = attemptsOf<GuardedScene>('another local user', [
  [
    'hides a request behind Content-Length and Transfer-Encoding',
    '400',
    hide((size) => [`content-length: ${size}`, 'transfer-encoding: chunked'], '0\r\n\r\n'),
  ],
  [
    'hides a request behind two different lengths',
    '400',
    hide((size) => ['content-length: 0', `content-length: ${size}`]),
  ],
  [
    'hides a request behind a list of lengths',
    '400',
    hide((size) => [`content-length: 0, ${size}`]),
  ],
  [
    'hides a request behind an unknown transfer coding',
    '400',
    hide(() => ['transfer-encoding: xchunked'], '0\r\n\r\n'),
  ],
  [
    'hides a request behind a space before the colon',
    '400',
    hide(() => ['transfer-encoding : chunked'], '0\r\n\r\n'),
  ],
  [
    'hides a request behind chunked that is not the last coding',
    '400',
    hide(() => ['transfer-encoding: chunked, identity'], '0\r\n\r\n'),
  ],
  ['hides a request in a folded header', '400', hide(() => ['x-fold: a', ' content-length: 0'])],
  ['ends a header line with a bare line feed', '400', frame(['x-a: b\ncontent-length: 19'])],
  ['puts a carriage return into a header', '400', frame(['x-a: b\rc', 'content-length: 19'])],
  ['puts a NUL into a header', '400', frame(['x-a: b\0c', 'content-length: 19'])],
  ['sends a negative length', '400', frame(['content-length: -1'])],
  ['sends a length with a sign', '400', frame(['content-length: +19'])],
  ['sends a length in hexadecimal', '400', frame(['content-length: 0x13'])],
  [
    'sends a chunk whose size overflows',
    '400',
    frame(['transfer-encoding: chunked'], `${'f'.repeat(17)}\r\n${noteBody}\r\n0\r\n\r\n`),
  ],
  ['sends a header of 20 kB', '431', frame([`x-a: ${'a'.repeat(20_000)}`, 'content-length: 19'])],
  [
    'sends 2,500 headers',
    '431',
    frame([...Array.from({ length: 2_500 }, (_, n) => `x-${n}: a`), 'content-length: 19']),
  ],
  ['sends no Host', '400', send('GET /v1/status HTTP/1.1', [bearer, close])],
  [
    'sends a second, foreign Host',
    '403',
    send('GET /v1/status HTTP/1.1', [loopback, 'host: evil.example', bearer, close]),
  ],
  [
    'sends a foreign Host before the right one',
    '403',
    send('GET /v1/status HTTP/1.1', ['host: evil.example', loopback, bearer, close]),
  ],
  ['sends less than the length that it claims', '400', frame(['content-length: 1099511627776'])],
]);

export const bodyAttempts = attemptsOf<GuardedScene>('an agent', [
  [
    'sends a body of more than 8 MiB',
    '413',
    (scene) =>
      scene.firstAnswer(
        head(
          scene,
          ['POST /v1/notes HTTP/1.1', loopback, bearer, `content-length: ${over}`],
          'a'.repeat(over),
        ),
      ),
  ],
  ['sends a gzip bomb', '400', bomb('gzip', gzipSync)],
  ['sends a brotli bomb', '400', bomb('br', (bytes) => brotliCompressSync(bytes, quick))],
  ['sends a deflate bomb', '400', bomb('deflate', deflateSync)],
  ['sends a zstd bomb', '400', bomb('zstd', zstdCompressSync)],
  ['sends a bomb that is packed twice', '400', bomb('gzip, gzip', (b) => gzipSync(gzipSync(b)))],
  ['nests JSON 100,000 deep', '400', write(nested(100_000))],
  ['sends the same key twice', '400', write('{"text":"seen","text":"stored"}')],
  ['sends __proto__ as a key', '400', write('{"text":"a","__proto__":{"roles":["admin"]}}')],
  [
    'sends constructor as a key',
    '400',
    write('{"text":"a","constructor":{"prototype":{"roles":["admin"]}}}'),
  ],
  ['sends a number that no double holds', '400', write('{"text":"a","subject":1e999}')],
  ['sends a lone surrogate', '400', write('{"text":"\\ud800"}')],
  ['sends invalid UTF-8', '400', write(Buffer.from('{"text":"\xff\xfe"}', 'latin1'))],
  ['sends JSON as UTF-16', '400', write(Buffer.from('{"text":"a"}', 'utf16le'))],
  ['sends two JSON documents', '400', write('{"text":"a"}{"text":"b"}')],
  ['sends a negative page size', '400 REQUEST_INVALID', ask(owner, 'GET /v1/entries?limit=-1')],
  ['sends a page size of 10^9', '400 REQUEST_INVALID', ask(owner, 'GET /v1/entries?limit=1e9')],
  ['sends a parameter twice', '400 REQUEST_INVALID', ask(owner, 'GET /v1/entries?from=1&from=2')],
  ['sends SQL as an entry number', '400 REQUEST_INVALID', ask(owner, "GET /v1/entries/1'--")],
  [
    'sends an idempotency key of 20 kB',
    '431',
    write(noteBody, `idempotency-key: ${'k'.repeat(20_000)}`),
  ],
  [
    'repeats the idempotency key of somebody else',
    'no answer of the other',
    async (scene, begin) => {
      const headers = { 'idempotency-key': 'same-key' };
      const first = await scene.call('owner', 'POST /v1/notes', { text: 'private' }, headers);
      await begin();
      const second = await scene.call('dave', 'POST /v1/notes', { text: 'private' }, headers);
      const isSame = JSON.stringify(first.body) === JSON.stringify(second.body);
      return isSame ? 'the answer of the other' : 'no answer of the other';
    },
    'note-added',
  ],
]);

function owner(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export const pageAttempts = attemptsOf<GuardedScene>('a page in the browser', [
  ['rebinds its own name to 127.0.0.1', '403', host('evil.example:PORT')],
  ['rebinds a name that begins with 127.0.0.1', '403', host('127.0.0.1.evil.example:PORT')],
  ['rebinds a name that begins with localhost', '403', host('localhost.evil.example')],
  ['rebinds a name that ends with localhost', '403', host('evil-localhost:PORT')],
  ['puts credentials before the host', '400', host('localhost@evil.example')],
  ['uses the address 0.0.0.0', '403', host('0.0.0.0:PORT')],
  ['uses 127.0.0.1 as a decimal number', '403', host('2130706433:PORT')],
  ['sends a foreign Origin', '403 ORIGIN_REFUSED', origin('https://evil.example')],
  ['sends the Origin of a sandboxed frame', '403 ORIGIN_REFUSED', origin('null')],
  [
    'sends an Origin that begins with localhost',
    '403 ORIGIN_REFUSED',
    origin('http://localhost.evil.example'),
  ],
  [
    'sends an Origin with credentials',
    '403 ORIGIN_REFUSED',
    origin('http://localhost@evil.example'),
  ],
  [
    'asks for permission across origins',
    'no permission for the page',
    preflight('https://evil.example'),
  ],
  [
    'asks for permission from another port of this machine',
    'no permission for the page',
    preflight('http://localhost:3000'),
  ],
  [
    'opens a WebSocket',
    '403',
    send('GET /v1/entries/stream HTTP/1.1', [
      loopback,
      'origin: https://evil.example',
      'connection: Upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
    ]),
  ],
  [
    'asks for MCP across origins',
    '403',
    send(
      'POST /mcp HTTP/1.1',
      [
        loopback,
        bearer,
        'origin: https://evil.example',
        close,
        'content-type: text/plain',
        'content-length: 2',
      ],
      '{}',
    ),
  ],
  [
    'asks for the MCP of Surety by a rebound name',
    '403',
    send(
      'POST /mcp/surety HTTP/1.1',
      ['host: evil.example', bearer, close, 'content-length: 2'],
      '{}',
    ),
  ],
]);
