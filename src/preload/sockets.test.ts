import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from './certificate.fixture.ts';
import { findOldNode } from './old-node.fixture.ts';
import { Recorder, Service } from './service.fixture.ts';

const nodes = [process.execPath, findOldNode() ?? []].flat();
const secureOrNot = ['', '&secure'];
const cases = nodes.flatMap((node) =>
  secureOrNot.map((secure): [string, string, string] => [secure, node, secure || '(plain)']),
);

/** A store that many requests talk to over one connection. */
async function openEcho(secure: string): Promise<{ server: Server; port: number }> {
  const answer = (socket: Socket): unknown => socket.on('error', () => {}).pipe(socket);
  const server = secure ? createTlsServer(makeCertificate(), answer) : createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('a connection that a keyed request opened for everybody', () => {
  test.each(cases)('%s does not hand on its key (%s)', async (secure, node) => {
    await using router = await Recorder.open('router');
    await using baseline = await Recorder.open('baseline');
    const echo = await openEcho(secure);
    {
      await using service = await Service.start({
        node,
        tag: { router: `127.0.0.1:${router.port}` },
      });
      // It is under way, with a live key, for as long as this is read no further.
      const keyed = await service.ask(`/open-shared-socket?echo=${echo.port}${secure}`, 'k1');
      const to = `to=http://127.0.0.1:${baseline.port}/`;
      const unkeyed = await service.ask(`/by-shared-socket/get?echo=${echo.port}&${to}`);
      expect(await unkeyed.text()).toBe('baseline');
      expect(router.take()).toEqual([]);
      await keyed.body?.cancel();
    }
    echo.server.close();
  });
});
