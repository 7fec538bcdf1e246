import { once } from 'node:events';
import { connect, createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from './certificate.fixture.ts';
import { Scene } from './scene.fixture.ts';

let scene: Scene;
const servers: Http2SecureServer[] = [];
const ports: Record<string, number> = {};

async function serve(name: string, certificate: ReturnType<typeof makeCertificate>): Promise<void> {
  const server = createSecureServer(certificate);
  server.on('stream', (stream, headers) => {
    const spoken = String(stream.session?.alpnProtocol);
    stream.respond({ ':status': 200, 'x-by': name, 'x-spoken': spoken });
    stream.end(`${headers[':scheme']} ${headers[':authority']}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  ports[name] = (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  scene = await Scene.open();
  const certificate = makeCertificate();
  for (const name of ['baseline', 'candidate', 'stranger']) await serve(name, certificate);
  const candidate = { port: ports.candidate as number, instance: 'vault/lane_1/a' };
  await scene.router.setTable({
    ingress: '',
    services: { vault: { port: ports.baseline as number, protocol: 'https' } },
    lanes: {
      k1: { lane: 'lane_1', overrides: { vault: candidate } },
      k2: { lane: 'lane_2', overrides: {} },
    },
  });
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  for (const server of servers) server.close();
});

async function ask(key: string, to: string) {
  const session = connect(`http://127.0.0.1:${scene.port}`);
  const stream = session.request({
    ':path': '/a',
    ':authority': 'vault.internal',
    baggage: `surety-lane=${key}`,
    'x-surety-to': to,
    'x-surety-scheme': 'https',
  });
  stream.end();
  const [answer] = await once(stream, 'response');
  const body = await text(stream);
  session.close();
  return { status: answer[':status'], by: answer['x-by'], spoken: answer['x-spoken'], body };
}

// proves: lanes.protocols
describe('HTTP/2 over TLS', () => {
  test.each([
    ['k1', 'candidate'],
    ['k2', 'baseline'],
  ])('of %s reaches the %s despite a self-signed certificate', async (key, by) => {
    expect(await ask(key, 'vault:443')).toEqual({
      status: 200,
      by,
      spoken: 'h2',
      body: 'https vault.internal',
    });
  });

  test('of a third party with a self-signed certificate is refused', async () => {
    const { status, by, body } = await ask('k1', `127.0.0.1:${ports.stranger}`);
    expect([status, by]).toEqual([502, undefined]);
    expect(JSON.parse(body)).toMatchObject({ fault: { code: 'TARGET_UNREACHABLE' } });
  });
});
