'use strict';

const http = require('node:http');
const https = require('node:https');
const context = require('./context.cjs');
const { createFinder } = require('./inbound-key.cjs');
const { sign } = require('./served.cjs');

const requestEvents = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
  'upgrade',
  'connect',
]);

/** Handlers of keyed requests run in a context that knows the key; the answer says who served. */
function tagInbound(settings) {
  const serve = createServe(settings);
  for (const { Server } of [http, https]) {
    const { emit } = Server.prototype;
    Server.prototype.emit = function (...args) {
      const run = () => Reflect.apply(emit, this, args);
      return requestEvents.has(args[0]) ? serve(args, run) : run();
    };
  }
}

/** By request: some applications hand one on from server to server by emitting it again. */
const contexts = new WeakMap();

function createServe(settings) {
  const finder = createFinder(settings);
  return ([, request, answer], run) => {
    const found = finder.mayCarry(request.rawHeaders) ? finder.find(request.headers) : undefined;
    context.meet(found?.key);
    // Whoever started the server, or used this connection before, is not the one who asks now.
    if (found === undefined) return context.outside(run);
    if (!contexts.has(request)) {
      if (found.isRecovered) finder.report(found, request.headers, request);
      contexts.set(request, begin(request, answer, { found, ...settings }));
    }
    return context.run(contexts.get(request), run);
  };
}

/** `answer` is a response, or the socket of an upgrade: both close when the exchange is over. */
function begin(request, answer, { found, instance }) {
  const served = context.open(found.key, found.handedOn);
  answer.once('close', () => context.close(served));
  context.keep(request, served);
  context.keep(answer, served);
  if (instance && answer instanceof http.ServerResponse) sign(answer, instance);
  return served;
}

module.exports = { tagInbound, createServe };
