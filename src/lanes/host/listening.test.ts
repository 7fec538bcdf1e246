import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listeningOf } from './listening.ts';

test('the ports of a process are found, with who can reach them', async () => {
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

test('of a process that is gone there are none', () => {
  expect(listeningOf(2 ** 22 + 1)).toEqual([]);
});
