'use strict';

const http = require('node:http');

/** A small service: it answers by itself, or asks another one and answers. */
const agent = new http.Agent({ keepAlive: true });
const backend = Number(process.env.BACKEND_PORT);
const answer = JSON.stringify({ id: 7, items: ['a', 'b', 'c'], total: 12.5 });

const ways = {
  '/plain': (callback) => callback(answer),
  '/http': (callback) => {
    http.get({ port: backend, host: '127.0.0.1', agent }, async (found) => {
      const chunks = await found.toArray();
      callback(Buffer.concat(chunks).toString());
    });
  },
  '/usage': (callback) => {
    const { user, system } = process.cpuUsage();
    callback(JSON.stringify({ cpuMicros: user + system, bytes: process.memoryUsage().rss }));
  },
};

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    ways[request.url]((text) => {
      response.setHeader('content-type', 'application/json');
      response.end(text);
    });
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const { user, system } = process.cpuUsage();
  const ready = { port: server.address().port, cpuMs: (user + system) / 1_000 };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
