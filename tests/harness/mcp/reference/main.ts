import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveReference } from './serve.ts';

/**
 * A server of everything that the conformance suite asks for, in both revisions, or with `older` as
 * its argument only in that of 2025-11-25. Prints the port that it listens on.
 */
const serve = serveReference(process.argv[2] === 'older');
const http = createServer((incoming, outgoing) => void serve(incoming, outgoing));
http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(http.address() as AddressInfo).port}\n`);
});
