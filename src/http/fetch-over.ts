import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';

/** `fetch` over a socket of this machine, which the one of Node cannot do. */
export function fetchOver(socketPath: string): typeof fetch {
  return async (input, init) => {
    const asked = new Request(input, init);
    const { pathname, search } = new URL(asked.url);
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const call = request({
      socketPath,
      // A kept connection may just be closed at the other end, and a call must not be sent twice.
      agent: false,
      path: pathname + search,
      method: asked.method,
      headers: { host: 'localhost', ...Object.fromEntries(asked.headers) },
      signal: asked.signal,
    });
    // As fetch reports it, because the MCP transport tells errors apart by this.
    const fail = (error: Error): void => reject(new TypeError('fetch failed', { cause: error }));
    call
      .on('response', resolve)
      .on('error', asked.signal.aborted ? reject : fail)
      .end(body);
    return responseOf(await promise);
  };
}

function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 500;
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const hasNoBody = status === 204 || status === 205 || status === 304;
  if (hasNoBody) answer.resume();
  const body = hasNoBody ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}
