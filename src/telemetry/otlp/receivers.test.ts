import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { type Post, post, type Receivers, startReceivers } from './receivers.fixture.ts';
import { span, spansOf } from './scene.fixture.ts';

let receivers: Receivers;
let client: Client;
beforeAll(async () => {
  receivers = await startReceivers();
  const options = { 'grpc.max_send_message_length': -1 };
  client = new Client(`127.0.0.1:${receivers.grpcPort}`, credentials.createInsecure(), options);
});
afterAll(async () => {
  client.close();
  await receivers.close();
});
beforeEach(() => {
  receivers.kept.rows.spans.length = 0;
});

const good = JSON.stringify(spansOf([span()]));
const half = JSON.stringify(spansOf([span(), span({ traceId: 'ab' })]));
const proto = { 'content-type': 'application/x-protobuf' };
const most = telemetryLimits.telemetryMessageBytesMax;
const blanks = (bytes: number): Buffer =>
  Buffer.concat([Buffer.from(good), Buffer.alloc(bytes - good.length, ' ')]);

describe('OTLP over HTTP follows the specification for', () => {
  test.each<[string, Post, number, RegExp]>([
    ['an accepted message', { body: good }, 200, /^\{\}$/],
    [
      'an accepted message with a charset',
      { body: good, headers: { 'content-type': 'application/json; charset=utf-8' } },
      200,
      /^\{\}$/,
    ],
    [
      'a partly accepted message',
      { body: half },
      200,
      /^\{"partialSuccess":\{"rejectedSpans":"1","errorMessage":"a trace id/,
    ],
    ['an empty message', { body: '', headers: proto }, 200, /^$/],
    [
      'a message compressed by gzip',
      { body: gzipSync(good), headers: { 'content-encoding': 'gzip' } },
      200,
      /^\{\}$/,
    ],
    [
      'a message compressed by deflate',
      { body: deflateSync(good), headers: { 'content-encoding': 'deflate' } },
      200,
      /^\{\}$/,
    ],
    ['invalid JSON', { body: '{' }, 400, /"code":3,"message":"it is no JSON/],
    [
      'JSON that is not a message',
      { body: '{"resourceSpans":7}' },
      400,
      /resourceSpans is not a list/,
    ],
    ['JSON that is nested a million times', { body: '['.repeat(1_000_000) }, 400, /nested/],
    [
      'a truncated message',
      { body: Buffer.from([0x0a, 0x7f, 0x00]), headers: proto },
      400,
      /it ends in the middle/,
    ],
    [
      'invalid gzip',
      { body: good, headers: { 'content-encoding': 'gzip' } },
      400,
      /it is not gzip/,
    ],
    [
      'truncated gzip',
      { body: gzipSync(good).subarray(0, 40), headers: { 'content-encoding': 'gzip' } },
      400,
      /it is not gzip/,
    ],
    [
      'another content type',
      { body: good, headers: { 'content-type': 'text/plain' } },
      415,
      /content-type text\/plain is not known/,
    ],
    [
      'another encoding',
      { body: good, headers: { 'content-encoding': 'br' } },
      415,
      /content-encoding br is not known/,
    ],
    ['another method', { method: 'GET' }, 405, /OTLP is sent by POST/],
    ['another path', { path: '/v1/profiles' }, 404, /There are \/v1\/traces/],
    [
      'a web page of another site',
      { body: good, headers: { origin: 'https://example.com' } },
      403,
      /pages of other sites/,
    ],
    ['the largest message', { body: blanks(most) }, 200, /^\{\}$/],
    ['a message above the limit', { body: blanks(most + 1) }, 413, /at most/],
    [
      'a message above the limit, of unknown length',
      { body: blanks(most + 1), headers: { 'transfer-encoding': 'chunked' } },
      413,
      /at most/,
    ],
    [
      'a message above the limit when decompressed',
      { body: gzipSync(blanks(most + 1)), headers: { 'content-encoding': 'gzip' } },
      413,
      /at most/,
    ],
    [
      'a compression bomb',
      {
        body: gzipSync(Buffer.alloc(20 * most)),
        headers: { 'content-encoding': 'gzip', ...proto },
      },
      413,
      /at most/,
    ],
  ])('%s', async (_, sent, expected, text) => {
    const answer = await post(receivers.port, sent);
    expect({ status: answer.status, text: answer.body.toString() }).toEqual({
      status: expected,
      text: expect.stringMatching(text),
    });
    const sentType = sent.headers?.['content-type'] ?? 'application/json';
    if (expected < 404) expect(answer.headers['content-type']).toBe(sentType.split(';')[0]);
    expect((await post(receivers.port, { body: good })).status).toBe(200);
  });

  test('a partial success in protobuf', async () => {
    const bytes = Buffer.from('0a0412021200', 'hex');
    const { status: code, body } = await post(receivers.port, { body: bytes, headers: proto });
    expect(code).toBe(200);
    // partial_success { rejected_spans: 1 error_message: "…" }
    expect(body.subarray(2, 6).toString('hex')).toMatch(/^080112/);
    expect(body.toString()).toContain('a trace id is not 16 bytes');
  });

  test('a full backlog, with a time to retry', async () => {
    receivers.kept.full = true;
    const { status: code, headers, body } = await post(receivers.port, { body: good });
    receivers.kept.full = false;
    expect([code, headers['retry-after']]).toEqual([429, '1']);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 8 });
  });

  test('one request too many at once, and one byte too many', async () => {
    const { admission, port } = receivers;
    const entered = Array.from({ length: telemetryLimits.telemetryMessagesMax - 1 }, () =>
      admission.enter(),
    );
    expect((await post(port, { body: good })).status).toBe(200);
    entered.push(admission.enter());
    const refused = await post(port, { body: good });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    for (const one of entered) one?.leave();

    const holder = admission.enter();
    expect(holder?.hold(telemetryLimits.telemetryReceivingBytesMax - good.length)).toBe(true);
    expect((await post(port, { body: good })).status).toBe(200);
    expect((await post(port, { body: `${good} ` })).status).toBe(503);
    holder?.leave();
    expect((await post(port, { body: good })).status).toBe(200);
  });

  test('input that is not HTTP, and the requests after it', async () => {
    const socket = connect(receivers.port, '127.0.0.1');
    socket.end('\u0000\u0001 nonsense\r\n\r\n');
    let answered = '';
    for await (const chunk of socket) answered += chunk;
    expect(answered).toContain('400 Bad Request');
    expect((await post(receivers.port, { body: good })).status).toBe(200);
  });
});

const exportPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

function call(bytes: Buffer): Promise<{ error: ServiceError | null; answer: Buffer }> {
  const same = (value: Buffer): Buffer => value;
  return new Promise((resolve) => {
    client.makeUnaryRequest(exportPath, same, same, bytes, (error, answer = Buffer.alloc(0)) =>
      resolve({ error, answer }),
    );
  });
}

describe('OTLP over gRPC follows the specification for', () => {
  test('a message that is accepted in whole or in part', async () => {
    expect(await call(Buffer.alloc(0))).toMatchObject({ error: null, answer: Buffer.alloc(0) });
    const { answer } = await call(Buffer.from('0a0412021200', 'hex'));
    expect(answer.toString()).toContain('a trace id is not 16 bytes');
  });

  test('a truncated message', async () => {
    const { error } = await call(Buffer.from([0x0a, 0x7f, 0x00]));
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT });
    expect(error?.details).toContain('it ends in the middle');
  });

  test('the largest message, and a larger one', async () => {
    // A field that nobody knows, of so many bytes.
    const padded = (bytes: number): Buffer => {
      const head = Buffer.from([0xfa, 0x01, 0, 0, 0, 0]);
      let rest = bytes - head.length;
      for (let at = 2; at < 6; at++, rest = Math.floor(rest / 128)) {
        head[at] = (rest % 128) | (at < 5 ? 0x80 : 0);
      }
      return Buffer.concat([head, Buffer.alloc(bytes - head.length)]);
    };
    expect((await call(padded(telemetryLimits.telemetryGrpcBytesMax))).error).toBeNull();
    const { error } = await call(padded(telemetryLimits.telemetryGrpcBytesMax + 1));
    expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  test('a closed intake, with the reason and a retryable status', async () => {
    receivers.admission.closedBecause = 'not told yet';
    const { error } = await call(Buffer.alloc(0));
    const refused = await post(receivers.port, { body: '{}' });
    receivers.admission.closedBecause = null;
    expect(error).toMatchObject({ code: status.UNAVAILABLE, details: 'not told yet' });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refused.body.toString())).toMatchObject({ message: 'not told yet' });
    expect((await post(receivers.port, { body: '{}' })).status).toBe(200);
  });

  test('a full backlog, with a time to retry', async () => {
    receivers.kept.full = true;
    const { error } = await call(Buffer.alloc(0));
    receivers.kept.full = false;
    expect(error).toMatchObject({ code: status.UNAVAILABLE });
    const details = error?.metadata.get('grpc-status-details-bin') ?? [];
    expect(String(details[0])).toContain('google.rpc.RetryInfo');
    expect((await call(Buffer.alloc(0))).error).toBeNull();
  });

  test('one request too many at once', async () => {
    const { admission } = receivers;
    const entered = Array.from({ length: telemetryLimits.telemetryMessagesMax }, () =>
      admission.enter(),
    );
    expect((await call(Buffer.alloc(0))).error).toMatchObject({ code: status.UNAVAILABLE });
    for (const one of entered) one?.leave();
    expect((await call(Buffer.alloc(0))).error).toBeNull();
  });
});

// proves: telemetry.slow
test('as many slow senders as there are places keep nobody else out', async () => {
  const { admission, port, close } = await startReceivers();
  const send = async (): Promise<number | undefined> => (await post(port, { body: good })).status;
  admission.slowMs = Number.POSITIVE_INFINITY;
  const head = ['POST /v1/traces HTTP/1.1', 'host: a', 'content-type: application/json'];
  const slow = Array.from({ length: telemetryLimits.telemetryMessagesMax }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${[...head, 'content-length: 100'].join('\r\n')}\r\n\r\n{`);
    return socket;
  });
  await expect.poll(send).toBe(503);
  admission.slowMs = telemetryLimits.telemetrySlowMs;
  await expect.poll(send).toBe(200);
  for (let n = 0; n < 10; n++) expect(await send()).toBe(200);
  for (const socket of slow) socket.destroy();
  await close();
});

describe('a slow sender gets an error and frees its place', () => {
  let hasty: Receivers;
  beforeAll(async () => {
    hasty = await startReceivers(50);
  });
  afterAll(() => hasty.close());

  test('over HTTP', async () => {
    const socket = connect(hasty.port, '127.0.0.1');
    const head = ['POST /v1/traces HTTP/1.1', 'host: a', 'content-type: application/json'];
    socket.write(`${[...head, 'content-length: 100'].join('\r\n')}\r\n\r\n{`);
    let answered = '';
    for await (const chunk of socket) answered += chunk;
    expect(answered).toContain('408 Request Timeout');
    expect(answered).toContain('did not come in time');
    expect((await post(hasty.port, { body: good })).status).toBe(200);
  });

  const header = Buffer.alloc(5);

  test.each([
    ['sends nothing', Buffer.alloc(0)],
    ['does not end its message', header],
  ])('over gRPC when it %s', async (_, bytes) => {
    const session = connectHttp2(`http://127.0.0.1:${hasty.grpcPort}`);
    const stream = session.request({
      ':method': 'POST',
      ':path': exportPath,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.write(bytes);
    const [headers] = await once(stream, 'response');
    stream.resume();
    expect(headers['grpc-status']).toBe(String(status.DEADLINE_EXCEEDED));
    stream.close();
    session.destroy();
  });
});
