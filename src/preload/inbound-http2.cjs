'use strict';

const http2 = require('node:http2');
const context = require('./context.cjs');
const { createServe } = require('./inbound.cjs');
const { createFinder } = require('./inbound-key.cjs');
const { signStream } = require('./served.cjs');

/** Handlers of keyed streams run in a context that knows the key, as those of requests do. */
function tagInboundHttp2(settings) {
  const tag = createTag(settings);
  for (const name of ['createServer', 'createSecureServer']) {
    const create = http2[name];
    http2[name] = function (...args) {
      const server = Reflect.apply(create, this, args);
      tag(Object.getPrototypeOf(server));
      return server;
    };
  }
}

/** The classes themselves are nowhere to be had before there is a server. */
function createTag(settings) {
  const tagged = new WeakSet();
  const serve = { stream: createServeStream(settings), request: createServe(settings) };
  return (prototype) => {
    if (tagged.has(prototype)) return;
    tagged.add(prototype);
    const { emit } = prototype;
    prototype.emit = function (...args) {
      const run = () => Reflect.apply(emit, this, args);
      if (args[0] === 'stream') return serve.stream(args, run);
      return isHttp1(args) ? serve.request(args, run) : run();
    };
  };
}

/** A server for both is asked in HTTP/1 too. In HTTP/2, a request is part of a stream. */
function isHttp1([event, request]) {
  const isRequest = event === 'request' || event === 'checkContinue' || event === 'upgrade';
  return isRequest && request.httpVersionMajor === 1;
}

function createServeStream(settings) {
  const finder = createFinder(settings);
  return ([, stream, headers], run) => {
    const found = finder.find(headers);
    context.meet(found?.key);
    if (found === undefined) return context.outside(run);
    const { ':method': method, ':path': url } = headers;
    if (found.isRecovered) finder.report(found, headers, { method, url });
    const served = context.open(found.key, found.handedOn);
    stream.once('close', () => context.close(served));
    context.keep(stream, served);
    if (settings.instance) signStream(stream, settings.instance);
    return context.run(served, run);
  };
}

module.exports = { tagInboundHttp2 };
