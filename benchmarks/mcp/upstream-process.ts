import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerTo, counts } from './answer.ts';

/** The server over HTTP. `GET /counts` says what it did; its first line of output is its port. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const isCounting = request.url === '/counts';
    const value = isCounting ? counts : answerTo(JSON.parse(Buffer.concat(chunks).toString()));
    const body = value ? JSON.stringify(value) : '';
    const length = Buffer.byteLength(body);
    response.writeHead(value ? 200 : 202, {
      'content-type': 'application/json',
      'content-length': length,
    });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
// Whoever started it may have been killed.
process.stdin.resume().on('end', () => process.exit());
