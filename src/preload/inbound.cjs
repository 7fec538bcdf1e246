'use strict';

const http = require('node:http');
const https = require('node:https');
const context = require('./context.cjs');
const { readKey } = require('./lane-key.cjs');

const requestEvents = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);
const servedHeader = 'x-surety-served';

/** Handlers of keyed requests run in a context that knows the key; the answer says who served. */
function tagInbound({ instance }) {
  for (const { Server } of [http, https]) {
    const { emit } = Server.prototype;
    Server.prototype.emit = function (...args) {
      const run = () => Reflect.apply(emit, this, args);
      return requestEvents.has(args[0]) ? serve(args, { instance, run }) : run();
    };
  }
}

function serve([, request, answer], { instance, run }) {
  const key = readKey(request.headers);
  // Whoever started the server, or used this connection before, is not the one who asks now.
  if (key === undefined) return context.outside(run);
  if (!contexts.has(request)) contexts.set(request, begin(request, answer, { key, instance }));
  return context.run(contexts.get(request), run);
}

/** By request: some applications hand one on from server to server by emitting it again. */
const contexts = new WeakMap();

/** `answer` is a response, or the socket of an upgrade: both close when the exchange is over. */
function begin(request, answer, { key, instance }) {
  const served = context.open(key);
  answer.once('close', () => context.close(served));
  context.keep(request, served);
  if (answer instanceof http.ServerResponse) {
    context.keep(answer, served);
    if (instance) sign(answer, instance);
  }
  return served;
}

/** At the last moment: error handlers of some frameworks remove all headers and start anew. */
function sign(response, instance) {
  const { writeHead } = response;
  response.writeHead = function (...args) {
    const last = args.length - 1;
    if (typeof args[last] === 'object' && args[last] !== null) {
      args[last] = addServed(args[last], instance);
    } else if (!this.headersSent) {
      this.setHeader(servedHeader, instance);
    }
    return Reflect.apply(writeHead, this, args);
  };
}

/** In the form in which they were given: older Nodes lose repeated headers if two are mixed. */
function addServed(headers, instance) {
  if (!Array.isArray(headers)) return { ...headers, [servedHeader]: instance };
  const isNested = Array.isArray(headers[0]);
  return [...headers, ...(isNested ? [[servedHeader, instance]] : [servedHeader, instance])];
}

module.exports = { tagInbound };
