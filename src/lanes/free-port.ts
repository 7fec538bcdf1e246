import { createServer } from 'node:net';

/** Until whoever asked has bound it, the system may offer a port again. */
const given = new Set<number>();
const triesMax = 100;

/** A port that nobody uses now, and that was not given to anybody here before. */
export async function freePort(): Promise<number> {
  let port = await offeredPort();
  for (let tries = 1; given.has(port) && tries < triesMax; tries++) port = await offeredPort();
  given.add(port);
  return port;
}

function offeredPort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
  });
  return promise;
}
