'use strict';

const { AsyncResource } = require('node:async_hooks');
const http = require('node:http');
const net = require('node:net');
const { setTimeout: delay } = require('node:timers/promises');

/**
 * A service of the planted losses. The path of a request names the way in which each service on it
 * calls the next one. Every service remembers who came, and whether with the key.
 */
const { NEXT_PORT: next } = process.env;
const visits = [];
const jobs = [];
setInterval(() => {
  for (const job of jobs.splice(0)) job();
}, 5);
/** From before the first request: it belongs to none. */
const nobody = new AsyncResource('planted');

const call = (path, headers) =>
  new Promise((resolve, reject) => {
    http
      .get(`http://127.0.0.1:${next}${path}`, { headers }, (answer) => {
        answer.resume().on('end', resolve);
      })
      .on('error', reject);
  });

/** A client that nobody knows. */
const byHand = (path, headers) =>
  new Promise((resolve, reject) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    net
      .connect(Number(next), '127.0.0.1')
      .on('error', reject)
      .on('close', resolve)
      .resume()
      .end(`GET ${path} HTTP/1.1\r\nhost: next\r\nconnection: close\r\n${lines.join('')}\r\n`);
  });

const promised = (start) => new Promise((resolve, reject) => start(() => [resolve, reject]));

const ways = {
  fetch: async (path, headers) =>
    (await fetch(`http://127.0.0.1:${next}${path}`, { headers })).text(),
  get: call,
  awaited: async (path, headers) => {
    await delay(3);
    await call(path, headers);
  },
  // From here on, the key is lost.
  socket: byHand,
  timer: (path, headers) =>
    promised((settle) => setTimeout(() => call(path, headers).then(...settle()), 3)),
  interval: (path, headers) =>
    promised((settle) => jobs.push(() => call(path, headers).then(...settle()))),
  detached: (path, headers) =>
    promised((settle) => nobody.runInAsyncScope(() => call(path, headers).then(...settle()))),
  late: (path, headers) => {
    setTimeout(() => call(path, headers).catch(() => {}), 1_200);
  },
};

const server = http.createServer(async (request, response) => {
  if (request.url === '/visits') return response.end(JSON.stringify(visits.splice(0)));
  const { 'x-id': id, baggage = '' } = request.headers;
  visits.push({ id, isKeyed: baggage.includes('surety-lane=') });
  const [, way, ...rest] = request.url.split('/');
  try {
    if (next !== undefined) await ways[way](`/${rest.join('/')}`, { 'x-id': id });
  } catch (error) {
    response.statusCode = 500;
    return response.end(String(error?.stack ?? error));
  }
  response.end('ok');
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`);
});
