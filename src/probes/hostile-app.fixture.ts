import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// A service whose state makes it hard to look into. What the first argument says it does.
const [behaviour] = process.argv.slice(2);

const cyclic: Record<string, unknown> = { name: 'cyclic' };
cyclic.self = cyclic;
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const values = {
  cyclic,
  revoked: revoked.proxy,
  text: 'x'.repeat(100 * 1024 * 1024),
  map: new Map(Array.from({ length: 1_000_000 }, (_, key) => [key, key])),
  throwing: Object.defineProperty({}, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error('read');
    },
  }),
};
const kept: unknown[] = [];
let handled = 0;

function look(amount: number): string {
  const hostile = values;
  return `${hostile.text.length}/${hostile.map.size}/${amount}/${handled}`; // BREAKPOINT: hostile
}

if (behaviour === 'handles-the-signal') process.on('SIGUSR1', () => handled++);

const server = createServer((request, response) => {
  if (request.url === '/loop') for (;;) kept.length = 0;
  if (request.url === '/fill')
    while (kept.length < 1_400) kept.push(new Array(1_024 * 16).fill(1.5));
  response.end(JSON.stringify(look(7)));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(String((server.address() as AddressInfo).port));
});
