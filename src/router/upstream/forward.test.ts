import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { makeCertificate } from '../certificate.fixture.ts';
import { Scene } from '../scene.fixture.ts';

const key = { baggage: 'surety-lane=k1' };

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

interface Sending {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly agent?: Agent;
}

function dial({ headers = {}, ...options }: Sending = {}): ClientRequest {
  const all = { ...key, ...headers };
  return send({ host: '127.0.0.1', port: scene.port, agent: false, ...options, headers: all });
}

async function answerTo(call: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return answer;
}

async function faultIn(answer: IncomingMessage): Promise<unknown> {
  const { fault } = JSON.parse(await text(answer));
  return { status: answer.statusCode, code: fault.code, message: fault.message };
}

describe('the router forwards', () => {
  test('method, path, headers and body, without its own headers', async () => {
    let seen: IncomingMessage | undefined;
    const port = await scene.serve(async (request, response) => {
      seen = request;
      const body = await text(request);
      response.sendDate = false;
      response.writeHead(299, 'Quite Fine', [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Answer', 'ä'],
        ...['Connection', 'x-hop', 'X-Hop', '1', 'x-surety-served', 'edge/baseline/1'],
      ]);
      response.end(`got ${body}`);
    });
    await scene.routeTo(port);
    const headers = {
      Host: 'edge.example:81',
      'X-Own': ['1', '2'],
      tracestate: 'vendor=1',
      'x-surety-from': 'liar',
      'x-surety-anything': '1',
      Connection: 'close, x-hop, content-length, baggage, tracestate',
      'X-Hop': '1',
      'Keep-Alive': 'timeout=9',
      TE: 'trailers',
      'Proxy-Authorization': 'Basic x',
    };
    const call = dial({ method: 'PUT', path: '/a%20b?c=d&c=e', headers }).end('body');
    const answer = await answerTo(call);
    expect(await text(answer)).toBe('got body');
    expect([seen?.method, seen?.url]).toEqual(['PUT', '/a%20b?c=d&c=e']);
    expect(seen?.headers).toEqual({
      ...key,
      tracestate: `surety=${'k1'},vendor=1`,
      host: 'edge.example:81',
      'x-own': '1, 2',
      'content-length': '4',
      connection: 'keep-alive',
    });
    expect([answer.statusCode, answer.statusMessage]).toEqual([299, 'Quite Fine']);
    expect(answer.headers).toEqual({
      'set-cookie': ['a=1', 'b=2'],
      'x-answer': 'ä',
      'x-surety-lane': 'lane_1',
      connection: 'close',
      'transfer-encoding': 'chunked',
    });
  });

  test.each([
    ['GET without a body', 'GET', undefined, { body: '', length: undefined, coding: undefined }],
    ['POST without a body', 'POST', undefined, { body: '', length: '0', coding: undefined }],
    ['GET with a body', 'GET', { 'content-length': '2' }, { body: 'hi', length: '2' }],
    [
      'GET with a chunked body',
      'GET',
      { 'transfer-encoding': 'chunked' },
      { body: 'hi', coding: 'chunked' },
    ],
    [
      'DELETE with a chunked body',
      'DELETE',
      { 'transfer-encoding': 'chunked' },
      { body: 'hi', coding: 'chunked' },
    ],
  ])('a %s unchanged', async (_, method, headers, expected) => {
    const port = await scene.serve(async (request, response) => {
      const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
      response.end(JSON.stringify({ body: await text(request), length, coding }));
    });
    await scene.routeTo(port);
    const call = dial({ method, ...(headers ? { headers } : {}) }).end(expected.body || undefined);
    expect(JSON.parse(await text(await answerTo(call)))).toEqual(
      JSON.parse(JSON.stringify(expected)),
    );
  });

  test.each([
    ['HEAD', 200, '5'],
    ['GET', 304, undefined],
    ['GET', 204, undefined],
  ])('the answer to %s with status %i without a body', async (method, status, length) => {
    const port = await scene.serve((_, response) => {
      response.writeHead(status, length ? { 'content-length': length } : {});
      response.end();
    });
    await scene.routeTo(port);
    const answer = await answerTo(dial({ method }).end());
    expect([answer.statusCode, answer.headers['content-length'], await text(answer)]).toEqual([
      status,
      length,
      '',
    ]);
  });

  test('bodies chunk by chunk, in both directions at once', async () => {
    const port = await scene.serve((request, response) => request.pipe(response));
    await scene.routeTo(port);
    const call = dial({ method: 'POST' });
    call.write('first');
    const answer = await answerTo(call);
    const pieces = answer.iterator({ destroyOnReturn: false });
    // The second is sent when the first has come back: neither side waits for an end.
    expect(String((await pieces.next()).value)).toBe('first');
    call.end('second');
    expect(String((await pieces.next()).value)).toBe('second');
    expect((await pieces.next()).done).toBe(true);
  });

  test('bodies larger than any buffer unchanged', async () => {
    const port = await scene.serve((request, response) => request.pipe(response));
    await scene.routeTo(port);
    const body = Buffer.alloc(8 * 1024 * 1024, 'surety ');
    const echoed = await buffer(await answerTo(dial({ method: 'POST' }).end(body)));
    expect(echoed.equals(body)).toBe(true);
  });

  test('trailers', async () => {
    const port = await scene.serve(async (request, response) => {
      response.writeHead(200, { trailer: 'x-sum' });
      response.write(await text(request));
      response.addTrailers({ 'x-sum': String(request.trailers['x-count']) });
      response.end();
    });
    await scene.routeTo(port);
    const call = dial({ method: 'POST', headers: { trailer: 'x-count' } });
    call.write('body');
    call.addTrailers({ 'x-count': '4' });
    const answer = await answerTo(call.end());
    expect(await text(answer)).toBe('body');
    expect(answer.trailers).toEqual({ 'x-sum': '4' });
  });

  test('to services over TLS, but only to those with a valid certificate', async () => {
    const secure = createSecureServer(makeCertificate());
    const port = await scene.serve((_, response) => response.end('secret'), secure);
    await scene.routeTo(port, { services: { edge: { port, scheme: 'https' } } });
    expect(await text(await answerTo(dial().end()))).toBe('secret');
    const internal = { 'x-surety-to': `localhost:${port}`, 'x-surety-scheme': 'https' };
    expect(await text(await answerTo(dial({ headers: internal }).end()))).toBe('secret');
    await scene.routeTo(1);
    expect(await faultIn(await answerTo(dial({ headers: internal }).end()))).toMatchObject({
      status: 502,
      code: 'TARGET_UNREACHABLE',
      message: expect.stringContaining('certificate'),
    });
  });

  test('many requests of one connection, each by its own key', async () => {
    const ports = [await sayName('one'), await sayName('two')] as const;
    await scene.routeTo(ports[0], {
      lanes: {
        k1: { lane: 'lane_1', overrides: {} },
        k2: { lane: 'lane_2', overrides: { edge: { port: ports[1], instance: 'i' } } },
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const calls = Array.from({ length: 20 }, async (_, index) => {
      const headers = { baggage: `surety-lane=k${(index % 2) + 1}` };
      return text(await answerTo(dial({ agent, headers }).end()));
    });
    expect(await Promise.all(calls)).toEqual(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'one' : 'two')),
    );
    agent.destroy();
  });
});

function sayName(name: string): Promise<number> {
  return scene.serve((_, response) => response.end(name));
}

describe('a caller that expects 100-continue', () => {
  test('gets 100 from the service', async () => {
    const port = await scene.serve(async (request, response) => response.end(await text(request)));
    await scene.routeTo(port);
    const call = dial({ method: 'POST', headers: { expect: '100-continue' } });
    call.flushHeaders();
    await once(call, 'continue');
    expect(await text(await answerTo(call.end('body')))).toBe('body');
  });

  test('is refused by the service before it sends its body', async () => {
    const port = await scene.serve(() => {});
    const server = scene.serverOn(port);
    server.on('checkContinue', (_, response) => response.writeHead(413).end('too large'));
    await scene.routeTo(port);
    const lines = 'Host: a\r\nbaggage: surety-lane=k1\r\nExpect: 100-continue\r\nContent-Length: 9';
    // It is over when the router hangs up: whether a body still comes, nobody could tell.
    const answer = await scene.sendRaw(`POST / HTTP/1.1\r\n${lines}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*too large/);
  });
});

describe('when a side disconnects', () => {
  test('the service sees that its caller has left', async () => {
    const gone: string[] = [];
    const port = await scene.serve((request, response) => {
      request.on('error', () => {});
      response.on('close', () => gone.push(String(request.url)));
      if (request.url === '/reading') response.write('first');
    });
    await scene.routeTo(port);
    const waiting = dial({ path: '/waiting' }).on('error', () => {});
    waiting.end();
    const reading = dial({ path: '/reading' }).on('error', () => {});
    (await answerTo(reading.end())).on('error', () => {});
    const sending = dial({ path: '/sending', method: 'POST' }).on('error', () => {});
    sending.write('first');
    await until('all three are there', () => scene.connectionsOf(port).then((many) => many >= 3));
    for (const call of [waiting, reading, sending]) call.destroy();
    await until('the service was told', () => gone.length === 3);
    expect(gone.toSorted()).toEqual(['/reading', '/sending', '/waiting']);
    const hops = await scene.hops('k1', 3);
    const status = new Map(hops.map(({ path, status }) => [path, status]));
    expect([status.get('/waiting'), status.get('/reading')]).toEqual([0, 200]);
  });

  test.each<[string, Record<string, string>]>([
    ['of a known length', { 'content-length': '100' }],
    ['of any length', {}],
  ])('the caller sees that the service broke off in a body %s', async (_, headers) => {
    const port = await scene.serve((_, response) => {
      response.writeHead(200, headers);
      response.write('half', () => response.destroy());
    });
    await scene.routeTo(port);
    await expect(text(await answerTo(dial().end()))).rejects.toThrow('aborted');
  });

  test('a service that has not answered yet gives a fault', async () => {
    const port = await scene.serve((request) => request.socket.destroy());
    await scene.routeTo(port);
    const answer = await answerTo(dial().end());
    expect(answer.headers['x-surety-lane']).toBe('lane_1');
    expect(await faultIn(answer)).toEqual({
      status: 502,
      code: 'TARGET_UNREACHABLE',
      message: 'edge does not answer: other side closed.',
    });
  });

  test('a service may answer before it has read the whole request', async () => {
    const port = await scene.serve((_, response) => response.writeHead(413).end('enough'));
    await scene.routeTo(port);
    const call = dial({ method: 'POST' }).on('error', () => {});
    call.write(Buffer.alloc(1024 * 1024));
    const answer = await answerTo(call);
    expect([answer.statusCode, await text(answer)]).toEqual([413, 'enough']);
    call.destroy();
  });
});

describe('the router handles odd requests:', () => {
  test('it ignores an upgrade that is optional', async () => {
    await scene.routeTo(await sayName('plain'));
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' };
    expect(await text(await answerTo(dial({ headers }).end()))).toBe('plain');
  });

  test('it refuses an upload with an unknown key before the upload ends', async () => {
    const headers = { baggage: 'surety-lane=nobody' };
    const call = dial({ method: 'POST', headers }).on('error', () => {});
    call.write(Buffer.alloc(1024 * 1024));
    const answer = await answerTo(call);
    expect(await faultIn(answer)).toMatchObject({ status: 503, code: 'LANE_UNKNOWN' });
    expect(answer.headers).not.toHaveProperty('x-surety-lane');
    call.destroy();
  });

  test('it refuses a CONNECT tunnel', async () => {
    await scene.routeTo(await sayName('edge'));
    expect(
      await scene.sendRaw(`CONNECT a:80 HTTP/1.1\r\nHost: a\r\nbaggage: surety-lane=k1\r\n\r\n`),
    ).toBe('');
  });
});
