'use strict';

const http = require('node:http');

/** A service as there are many: asked over HTTP, it asks another one and answers. */
const agent = new http.Agent({ keepAlive: true });
const backend = Number(process.env.BACKEND_PORT);

const ways = {
  '/http': (callback) => {
    http.get({ port: backend, host: '127.0.0.1', agent }, async (answer) => {
      const chunks = await answer.toArray();
      callback(Buffer.concat(chunks).toString());
    });
  },
  '/fetch': async (callback) => {
    callback(await (await fetch(`http://127.0.0.1:${backend}/`)).text());
  },
  '/cpu': (callback) => callback(JSON.stringify(process.cpuUsage())),
};

const server = http.createServer((request, response) => {
  ways[request.url]((text) => response.end(text));
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => {
  const { user, system } = process.cpuUsage();
  const ready = { port: server.address().port, cpuMs: (user + system) / 1_000 };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
});
