import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemRandom } from '../../kernel/index.ts';

/** An address that cannot be guessed, for one suite; it ends with the suite. */
export interface SecretServer {
  readonly address: string;
  close(): Promise<void>;
}

export interface ServerCall {
  readonly method: string;
  /** Below the secret address: empty, or one that begins with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly incoming: IncomingMessage;
}

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
}

export async function openSecretServer(
  answer: (request: ServerCall) => Promise<ServerAnswer>,
): Promise<SecretServer> {
  const root = `/${Buffer.from(systemRandom(16)).toString('hex')}`;
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const isBelow = pathname === root || pathname.startsWith(`${root}/`);
    if (!isBelow) return void response.writeHead(404).end();
    const path = pathname.slice(root.length);
    const request = { method: incoming.method ?? '', path, query: searchParams, incoming };
    void answer(request).then(
      ({ status, text }) => response.writeHead(status).end(text),
      () => fail(response),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${root}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function fail(response: ServerResponse): void {
  response.writeHead(500).end('it could not be read\n');
}
