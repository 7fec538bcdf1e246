import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificate } from '../certificate.fixture.ts';
import { serviceNodes } from '../old-node.fixture.ts';
import { Peer } from '../peer.fixture.ts';
import { runTagged } from '../script.fixture.ts';
import { Service } from '../service.fixture.ts';

const plain = ['http', 'http-port', 'fetch', 'undici', 'http2', 'grpc'];

describe.each(serviceNodes)('host names hard-coded in a service on %s', (node) => {
  let router: Peer;
  let baseline: Peer;
  let service: Service;
  /** Says which name it was asked for. */
  const secure = createServer(makeCertificate(), ({ socket }, response) => {
    response.end(String((socket as TLSSocket & { servername: string }).servername));
  });

  beforeAll(async () => {
    router = await Peer.open('router');
    baseline = await Peer.open('baseline');
    await once(secure.listen(0, '127.0.0.1'), 'listening');
    const hosts = {
      'pricing:80': baseline.address,
      'pricing.internal:*': baseline.address,
      'secure.internal:443': `127.0.0.1:${(secure.address() as AddressInfo).port}`,
    };
    const tag = { router: router.address, hosts };
    service = await Service.start({ node, tag, file: 'hosts-service.cjs' });
  });

  afterAll(async () => {
    for (const one of [service, router, baseline]) await one?.[Symbol.asyncDispose]();
    secure.closeAllConnections();
    secure.close();
  });

  const ask = async (way: string, key?: string): Promise<string> =>
    (await service.ask(`/call/${way}`, key)).text();

  // proves: lanes.unmodified
  test('lead to the baseline when a call has no key', async () => {
    for (const way of [...plain, 'net']) {
      expect([way, await ask(way)]).toEqual([way, 'baseline']);
      expect([way, baseline.take().map(({ path }) => path)]).toEqual([way, ['/path']]);
    }
    expect(router.take()).toEqual([]);
  });

  test('are sent to the router when a call has a key', async () => {
    for (const way of plain) {
      expect([way, await ask(way, 'k1')]).toEqual([way, 'router']);
      const to = ['http-port', 'grpc'].includes(way) ? 'pricing.internal:8080' : 'pricing:80';
      const asked = router.take().map(({ headers }) => headers['x-surety-to']);
      expect([way, asked]).toEqual([way, [to]]);
    }
    expect(baseline.take()).toEqual([]);
  });

  test('are the server names in TLS', async () => {
    expect(await ask('tls')).toBe('secure.internal');
  });

  test('leave all other names to the name server', async () => {
    expect(await ask('unknown')).toBe('not found');
  });

  test('prevent the start of the service if their list is invalid', async () => {
    const started = runTagged(node, 'show([])', { SURETY_HOSTS: 'pricing=4302' });
    await expect(started).rejects.toThrow('SURETY_HOSTS must be name:port=host:port');
  });
});
