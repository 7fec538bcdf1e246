'use strict';

const http = require('node:http');
const { createRequire } = require('node:module');
const { patterns } = require('./patterns.cjs');
const { packages } = require('./packages.cjs');

/**
 * A service of the matrix: it answers with the names of the instances that took part. With a next
 * service it calls that in the way that the request's path names; without one it remembers who
 * came.
 */
const { NEXT_PORT: next, PACKAGES: directory, SURETY_INSTANCE: instance = 'none' } = process.env;
const made = new Map();

function patternOf(name) {
  const make = patterns[name] ?? (() => makeOf(packages[name]));
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}

/** Packages are installed in sets, because some are there in several versions. */
function makeOf({ install: [set], make }) {
  return make(createRequire(`${directory}/${set}/`));
}

const visits = [];
const answerMs = 3;

const server = http.createServer(async (request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  const { 'x-id': id, 'x-truth': truth } = request.headers;
  if (name === 'visits') return response.end(JSON.stringify(visits.splice(0)));
  if (next === undefined) {
    visits.push({ id, truth });
    return setTimeout(() => response.end(JSON.stringify([instance])), answerMs);
  }
  const reply = (below, then = () => {}) => {
    response.end(JSON.stringify([instance, ...below]), then);
  };
  try {
    const work = {
      ...createCalls(request.url, { 'x-id': id, 'x-truth': truth }),
      request,
      response,
      reply,
    };
    const below = await (await patternOf(name))(work);
    if (!response.writableEnded) reply(below);
  } catch (error) {
    if (!response.headersSent) response.statusCode = 500;
    response.end(String(error?.stack ?? error));
  }
});

/** The call to the next service, in all the ways that patterns use. */
function createCalls(path, headers) {
  const url = `http://127.0.0.1:${next}${path}`;
  const get = (done, options = {}) => {
    const call = http.get(url, { headers, ...options }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (answer.statusCode === 200) done(null, JSON.parse(text));
        else done(new Error(text));
      });
    });
    call.on('error', done);
  };
  return {
    url,
    headers,
    get,
    load: async () => {
      const answer = await fetch(url, { headers });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(text);
      return JSON.parse(text);
    },
  };
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify(server.address())}\n`);
});
