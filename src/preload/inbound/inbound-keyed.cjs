'use strict';

const http = require('node:http');
const context = require('../context/context.cjs');
const { createFinder } = require('./inbound-key.cjs');
const { sign, signStream } = require('./served.cjs');

/** Finds out whether a request has a key, and prepares its context if so. */
function createServe(settings) {
  const finder = createFinder(settings);
  return {
    find: ([event, request, headers]) =>
      finder.find(event === 'stream' ? headers : request.headers),
    begin(args, found) {
      // An instance of a lane gets only the requests of its lane.
      if (settings.lane === undefined) finder.report(found, aboutOf(args));
      return begin(args, found, settings);
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
