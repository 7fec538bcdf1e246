import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listeningOf } from './listening.ts';

test('finds the ports on which a process listens, and whether they are public', async () => {
  const servers = ['127.0.0.1', '0.0.0.0'].map((host) => createServer().listen(0, host));
  await Promise.all(
    servers.map((server) => new Promise((resolve) => server.once('listening', resolve))),
  );
  const [local, open] = servers.map((server) => (server.address() as AddressInfo).port);
  const found = listeningOf(process.pid);
  expect(found).toContainEqual({ address: 'this machine', port: local });
  expect(found).toContainEqual({ address: 'every address', port: open });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  expect(listeningOf(process.pid).map(({ port }) => port)).not.toContain(local);
});

test('finds no ports of a process that is gone', () => {
  expect(listeningOf(2 ** 22 + 1)).toEqual([]);
});
