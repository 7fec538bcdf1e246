'use strict';

const http = require('node:http');

/** A small service whose requests spend most of their time in one loop. */
const items = Array.from({ length: 200 }, (_, id) => ({ id, price: id * 1.5, name: `item ${id}` }));

function total(list) {
  let sum = 0;
  for (const one of list) {
    if (one.id % 3 === 0) sum += one.price;
    else if (one.id > 5_000)
      sum = 0; // Never runs.
    else sum -= 1;
  }
  return sum;
}

function answer() {
  const few = items.filter(({ id }) => id % 7 === 0).map((one) => ({ ...one, id: `${one.id}` }));
  return JSON.stringify({ total: total(items), few });
}

const server = http.createServer((request, response) => {
  const { user, system } = process.cpuUsage();
  response.end(request.url === '/usage' ? String(user + system) : answer());
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
