import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, createClient } from './client.ts';

let server: Server;
let client: Client;
/** The first line of each request, and whether it was answered. */
let requests: [string, 'answered' | 'reset'][];
const sockets = new Set<Socket>();

/** Answers one request per connection, and resets the connection at the next one. */
beforeEach(async () => {
  requests = [];
  server = createServer((socket) => {
    sockets.add(socket);
    let isUsed = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const line = String(data).split('\r\n')[0] ?? '';
      requests.push([line, isUsed ? 'reset' : 'answered']);
      if (isUsed) return void socket.destroy();
      isUsed = true;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
    });
  });
  const socketPath = join(mkdtempSync(join(tmpdir(), 'surety-client-')), 'daemon.sock');
  // Few enough that the last tests can fill it.
  server.listen({ path: socketPath, backlog: 5 });
  await once(server, 'listening');
  onTestFinished(() => rmSync(dirname(socketPath), { recursive: true }));
  client = createClient({ socketPath, token: 't', directory: '.' });
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

describe('a connection that the daemon closed while it was idle', () => {
  test('is replaced for a request that may be repeated', async () => {
    await client.call('GET /v1/status', {});
    await client.call('GET /v1/status', {});
    await client.call('POST /v1/notes', { body: { text: 'x' } }, { key: 'once' });
    expect(requests.map(([, result]) => result)).toEqual([
      'answered',
      'reset',
      'answered',
      'reset',
      'answered',
    ]);
  });

  test('is not used for a request that may not be repeated', async () => {
    await client.call('GET /v1/status', {});
    await client.call('POST /v1/notes', { body: { text: 'x' } });
    await client.call('POST /v1/notes', { body: { text: 'y' } });
    expect(requests.map(([, result]) => result)).toEqual(['answered', 'answered', 'answered']);
  });
});

test('more requests at once than the daemon has accepted are all answered', async () => {
  const calls = Array.from({ length: 50 }, () =>
    client.call('POST /v1/notes', { body: { text: 'x' } }),
  );
  await Promise.all(calls);
  expect(requests.filter(([, result]) => result === 'answered')).toHaveLength(50);
});
