import { execFileSync } from 'node:child_process';
import { createServer as createPlain } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scanTls } from './tls-scan.ts';

const servers: Server[] = [];
let pem = '';
beforeAll(() => {
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout - -out -';
  pem = execFileSync('openssl', request.split(' '), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const secured = (options: TlsOptions = {}): Promise<number> => {
  const server = createServer({ key: pem, cert: pem, ...options });
  server.on('tlsClientError', () => undefined);
  return portOf(server);
};

describe('a TLS scan', () => {
  test('finds the versions and ciphers of a port', async () => {
    expect(await scanTls('edge', await secured())).toEqual({
      service: 'edge',
      versions: ['TLSv1.3', 'TLSv1.2'],
      weakCiphers: [],
      keyBits: 2_048,
      isExpired: false,
    });
  });

  test('finds old versions and anonymous ciphers', async () => {
    const port = await secured({ minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' });
    const { versions, weakCiphers } = await scanTls('edge', port);
    expect(versions).toEqual(['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1']);
    expect(weakCiphers).toContain('aNULL');
  });

  test('finds nothing on a plain-text port or a closed one', async () => {
    const plain = await portOf(createPlain());
    expect(await scanTls('edge', plain)).toMatchObject({ versions: [], keyBits: null });
    expect(await scanTls('edge', 1)).toMatchObject({ versions: [], weakCiphers: [] });
  });
});
