import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostileRequests } from './hostile.fixture.ts';
import { framesOf, hostileLengths, hostileStreams, isAnswered } from './hostile-http2.fixture.ts';
import { Scene } from './scene.fixture.ts';

let scene: Scene;
/** Who got what, as it was really served. */
let served: string[] = [];
const everything: string[] = [];

beforeAll(async () => {
  scene = await Scene.open();
  const serve = (name: string): Promise<number> =>
    scene.serve(
      async (request, response) => {
        served.push(`${name} ${request.url}`);
        everything.push(`${name} ${request.url} ${request.headers.baggage}`);
        await text(request).catch(() => '');
        response.end(name);
      },
      Object.assign(createServer(), { maxHeadersCount: 0 }),
    );
  const lane = (name: string, port: number) => ({
    lane: `lane_${name}`,
    overrides: { edge: { port, instance: `edge/${name}` } },
  });
  await scene.router.setTable({
    ingress: 'edge',
    services: { edge: { port: await serve('baseline') }, front: { port: await serve('front') } },
    lanes: { k1: lane('k1', await serve('k1')), k2: lane('k2', await serve('k2')) },
  });
});
beforeEach(() => {
  served = [];
});
afterAll(() => scene[Symbol.asyncDispose]());

/** Sends these very bytes and reads until the router hangs up, or `isEnough` says so. */
async function send(bytes: Buffer, isEnough = (_: Buffer): boolean => false): Promise<Buffer> {
  const socket = connect(scene.port, '127.0.0.1').on('error', () => {});
  socket.write(bytes);
  let heard = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk]);
    if (isEnough(heard)) socket.destroy();
  });
  await once(socket, 'close');
  return heard;
}

// proves: lanes.fail-closed
describe('a request that two parsers could read differently', () => {
  test.each(hostileRequests)('because of $name reaches only its intended service', async (it) => {
    const answer = await send(Buffer.from(it.bytes, 'latin1'));
    expect(served).toEqual(it.reached);
    if (it.reached.length === 0) expect(String(answer)).not.toMatch(/^HTTP\/1.1 [23]/);
  });

  test.each(hostileStreams)(
    'in HTTP/2 because of $name reaches only its intended service',
    async (it) => {
      await send(framesOf(it), isAnswered);
      expect(served).toEqual(it.reached);
    },
  );

  test.each(hostileLengths)(
    'in HTTP/2 with a content length of $name reaches no unintended service',
    async (it) => {
      await send(framesOf(it), isAnswered);
      expect(served.filter((one) => one !== 'k1 /a')).toEqual([]);
    },
  );

  test('comes in at least sixty forms, none of which smuggles a request', () => {
    const count = hostileRequests.length + hostileStreams.length + hostileLengths.length;
    expect(count).toBeGreaterThanOrEqual(60);
    expect(everything.filter((one) => one.includes('smuggled'))).toEqual([]);
    const isRight = (one: string) => /^(k\d) \/\S* surety-lane=\1\b/.test(one);
    expect(everything.filter((one) => !isRight(one))).toEqual([]);
  });
});

// Each was found by fuzzing.
describe('a client that sends no more gets the end of its connection', () => {
  const refused = 'Host: a\r\nbaggage: surety-lane=unknown\r\n';
  test.each([
    ['after the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['within a frame of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xb3'],
    [
      'after a WebSocket that it asks for before an earlier answer',
      `GET /a HTTP/1.1\r\n${refused}\r\nGET /b HTTP/1.1\r\n${refused}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nrest`,
    ],
  ])('%s', async (_, bytes) => {
    const socket = connect({ port: scene.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    socket.end(Buffer.from(bytes, 'latin1'));
    await once(socket, 'end');
    expect(served).toEqual([]);
  });
});
