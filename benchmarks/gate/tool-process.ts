import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool over HTTP that does nothing. `GET /` says how often; its first line is its port. */
let calls = 0;
const server = createServer((request, response) => {
  const isCall = request.method === 'POST';
  if (isCall) calls++;
  const body = JSON.stringify(isCall ? { paid: true } : calls);
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// Whoever started it may have been killed.
process.stdin.resume().on('end', () => process.exit());
