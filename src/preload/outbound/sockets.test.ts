import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { makeCertificate } from '../certificate.fixture.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Recorder, Service } from '../service.fixture.ts';

const secureOrNot = ['', '&secure'];
const cases = serviceNodes.flatMap((node) =>
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

describe('a shared connection that a keyed request opened', () => {
  test.each(cases)('%s does not pass its key to other requests (%s)', async (secure, node) => {
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
      // The router is told that somebody opened it, and gets no call.
      const calls = router.take().filter(({ headers }) => !headers['x-surety-report']);
      expect(calls).toEqual([]);
      await keyed.body?.cancel();
    }
    echo.server.close();
  });
});

describe.each(serviceNodes)('an unknown client on %s', (node) => {
  let router: Recorder;
  let baseline: Recorder;
  let service: Service;

  beforeAll(async () => {
    router = await Recorder.open('router');
    baseline = await Recorder.open('baseline');
    service = await Service.start({ node, tag: { router: `127.0.0.1:${router.port}` } });
  });
  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
  });

  const call = async (way: string, key?: string): Promise<string> =>
    (await service.ask(`/call/${way}?to=http://127.0.0.1:${baseline.port}/`, key)).text();

  test.each(['raw-socket', 'raw-tls', 'raw-end'])(
    'is reported for the lane when it bypasses the router (%s)',
    async (way) => {
      await call(way, 'k1');
      const report = await until('it is told', () => router.take()[0]);
      expect(report.headers).toMatchObject({
        'x-surety-report': 'escape',
        baggage: 'surety-lane=k1',
        'x-surety-from': 'a',
        'x-surety-to': `127.0.0.1:${baseline.port}`,
        'x-surety-method': 'connection',
      });
    },
  );

  test('is not reported without a lane, or if it sends nothing', async () => {
    expect(await call('raw-socket')).toBe('baseline');
    expect(await call('raw-silent', 'k1')).toBe('connected');
    expect(await call('get', 'k2')).toBe('router');
    expect(router.take().map(({ headers }) => headers.baggage)).toEqual(['surety-lane=k2']);
  });
});
