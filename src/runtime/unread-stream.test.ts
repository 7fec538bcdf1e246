import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { expect, test } from 'vitest';
import { createApi, type createPerform } from '../http/api.ts';
import type { Identity } from '../kernel/index.ts';

const caller: Identity = { actor: 'person:ada', roles: ['admin'] };

// proves: api.unread
test('a reader of the event stream that does not read is cut off, and its events end', async () => {
  const ended = Promise.withResolvers<void>();
  const perform: ReturnType<typeof createPerform> = async (_, { signal }) => {
    async function* events() {
      try {
        for (let seq = 1; !signal.aborted; seq++) yield { seq, text: 'x'.repeat(64 * 1024) };
      } finally {
        ended.resolve();
      }
    }
    return { answer: events() };
  };
  const logged: string[] = [];
  const api = createApi({
    perform,
    onForbidden: async () => undefined,
    mcp: [],
    models: async () => new Response(),
    identify: () => caller,
    tokenOf: () => undefined,
    waitMs: () => 0,
    requestsPerMinute: () => 1,
    log: (_, event) => logged.push(event),
    unreadMsMax: 50,
  });
  const server = createServer(getRequestListener(api.fetch)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  reader.on('error', () => undefined);
  reader.write('GET /v1/entries/stream?from=1 HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await ended.promise;
  expect(logged).toEqual(['stream-unread']);
  await new Promise((resolve) => server.close(resolve));
  reader.destroy();
});
