import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// An ordinary service: some work for each request, and its own CPU time on demand.
const orders = Array.from({ length: 200 }, (_, id) => ({
  id,
  amount: id * 7,
  note: `order ${id}`,
}));
let count = 0;

// As many modules as the first argument says, as a larger service would have.
const folder = mkdtempSync(join(tmpdir(), 'surety-bench-modules-'));
const require = createRequire(import.meta.url);
for (let n = 0; n < Number(process.argv[2] ?? 0); n++) {
  const file = join(folder, `module-${n}.cjs`);
  writeFileSync(file, `exports.n = (x) => x + ${n};`);
  require(file);
}
rmSync(folder, { recursive: true });

function price(order) {
  const amount = order.amount + (count % 1_000);
  const isLarge = amount > 700;
  return isLarge ? amount * 0.9 : amount;
}

function answer() {
  count++;
  const order = orders[count % orders.length];
  const total = price({ ...order, count: count % 1_000 });
  return JSON.stringify({ total, orders: orders.slice(0, 50) });
}

const server = createServer((request, response) => {
  if (request.url === '/cpu') response.end(JSON.stringify(process.cpuUsage()));
  else response.end(answer());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
setTimeout(() => process.exit(), 600_000).unref();
