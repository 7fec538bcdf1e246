import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that a proxy in Node can do: bytes in, the same bytes out, and nothing looked at. */
const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });
const server = createServer((incoming, outgoing) => {
  const { method, headers } = incoming;
  const options = { host: '127.0.0.1', port, path: '/mcp', method, headers, agent };
  const onward = request(options, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(onward);
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// Whoever started it may have been killed.
process.stdin.resume().on('end', () => process.exit());
