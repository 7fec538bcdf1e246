import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { hostileRequests } from '../../../src/router/hostile.fixture.ts';
import { Scene } from '../../../src/router/scene.fixture.ts';
import type { FuzzTarget } from '../fuzzing.ts';
import { mutate } from '../mutate.ts';

const keys = ['k1', 'k2'] as const;
const words = [
  ...['GET / HTTP/1.1\r\n', 'POST /a HTTP/1.1\r\n', 'host: a\r\n', 'baggage: surety-lane=k1\r\n'],
  ...['baggage: surety-lane=k2\r\n', 'content-length: 5\r\n', 'transfer-encoding: chunked\r\n'],
  ...['\r\n\r\n', '0\r\n\r\n', '5\r\nhello\r\n', 'connection: close\r\n', 'upgrade: websocket\r\n'],
  ...['expect: 100-continue\r\n', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'tracestate: surety=k1\r\n'],
];
const plain = 'GET /a HTTP/1.1\r\nhost: a\r\nbaggage: surety-lane=k1\r\nconnection: close\r\n\r\n';
/** A client that waits for the rest of an answer gives up after this. */
const answerMsMax = 60_000;

/** Bytes on a connection to a real router, between two lanes and the baseline. */
export async function routerTarget(): Promise<FuzzTarget> {
  const scene = new Scene();
  const router = await scene.startRouter();
  const wrong: string[] = [];
  const serve = (name: string): Promise<number> =>
    scene.serve((request, response) => {
      const named = keys.filter((key) => JSON.stringify(request.headers).includes(key));
      // A request may name both; the baseline gets what names neither.
      if (name === 'baseline' ? named.length > 0 : !named.includes(name as 'k1')) {
        wrong.push(
          `${name} got ${request.method} ${request.url} ${JSON.stringify(request.headers)}`,
        );
      }
      request.resume();
      response.setHeader('connection', 'close');
      response.end(name);
    }, createServer());
  const lane = async (key: string) => ({
    lane: `lane_${key}`,
    overrides: { edge: { port: await serve(key), instance: `edge/${key}` } },
  });
  await scene.router.setTable({
    ingress: 'edge',
    services: { edge: { port: await serve('baseline') } },
    lanes: { k1: await lane('k1'), k2: await lane('k2') },
  });
  return {
    seeds: [plain, ...hostileRequests.map(({ bytes }) => bytes)].map((bytes) =>
      Buffer.from(bytes, 'latin1'),
    ),
    atOnce: 16,
    make: (random, base, others) => mutate(random, base, { words, others }),
    async execute(input) {
      const answer = await send(scene.port, input);
      if (router.exitCode !== null) throw new Error(`the router ended with ${router.exitCode}`);
      if (wrong.length > 0) throw new Error(wrong.splice(0).join('\n'));
      return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status).join(' ');
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

async function send(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    socket.destroy();
  }, answerMsMax);
  socket.end(bytes);
  await once(socket, 'close');
  clearTimeout(timer);
  if (isLate) throw new Error(`no end of the connection after ${answerMsMax} ms`);
  return Buffer.concat(chunks).toString('latin1');
}
