'use strict';

const http = require('node:http');
const context = require('../context/context.cjs');
const { createFinder } = require('./inbound-key.cjs');
const { sign, signStream } = require('./served.cjs');

/** By request: some applications pass one from server to server by emitting it again. */
const contexts = new WeakMap();

/** Decides for each request whether it has a key, and handles it in its context if so. */
function createServe(settings) {
  const finder = createFinder(settings);
  return {
    find: ([event, request, headers]) =>
      finder.find(event === 'stream' ? headers : request.headers),
    serve(args, found, run) {
      const [, request] = args;
      if (!contexts.has(request)) {
        if (found.isRecovered) finder.report(found, aboutOf(args));
        contexts.set(request, begin(args, found, settings));
      }
      return context.run(contexts.get(request), run);
    },
  };
}

function aboutOf([event, request, headers]) {
  if (event !== 'stream') return request;
  const { ':method': method, ':path': url } = headers;
  return { method, url, headers };
}

/** The request is over when the response, the socket of an upgrade, or the stream closes. */
function begin([event, request, answer], { key, handedOn }, { instance }) {
  const served = context.open(key, handedOn);
  const end = event === 'stream' ? request : answer;
  end.once('close', () => context.close(served));
  for (const emitter of new Set([request, end])) context.keep(emitter, served);
  if (instance && event === 'stream') signStream(request, instance);
  if (instance && end instanceof http.ServerResponse) sign(end, instance);
  return served;
}

module.exports = { createServe };
