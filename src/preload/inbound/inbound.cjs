'use strict';

const net = require('node:net');
const context = require('../context/context.cjs');
const { lazily } = require('../lazily.cjs');

/**
 * Handlers of keyed requests run in a context that knows the key. All servers of Node, for HTTP/1
 * and HTTP/2, secure or not, are descendants of this class and emit what comes to them.
 */
function tagInbound(settings) {
  const mayCarry = createPrecheck(carriersOf(settings));
  const keyed = lazily(() => require('./inbound-keyed.cjs').createServe(settings));
  const { reports } = settings;
  // Whoever started the server, or used this connection before, is not the one who asks now.
  const serve = (args, found, run) =>
    found === undefined ? context.outside(run) : keyed().serve(args, found, run);
  const { emit } = net.Server.prototype;
  net.Server.prototype.emit = function (...args) {
    const rawHeaders = rawHeadersOf(args);
    if (rawHeaders === undefined) return Reflect.apply(emit, this, args);
    const found = mayCarry(rawHeaders) ? keyed().find(args) : undefined;
    context.meet(found?.key);
    const run = () => Reflect.apply(emit, this, args);
    if (reports === undefined) return serve(args, found, run);
    const trace = reports.begin(args, rawHeaders, found?.key);
    if (trace === undefined || reports.enter(trace)) return serve(args, found, run);
    return reports.run(trace, () => serve(args, found, run));
  };
}

/** Undefined for all but requests. In HTTP/2, a request is part of a stream that came before. */
function rawHeadersOf([event, request, , , rawHeaders]) {
  switch (event) {
    case 'request':
    case 'checkContinue':
    case 'checkExpectation':
    case 'upgrade':
    case 'connect':
      return request?.httpVersionMajor === 1 ? request.rawHeaders : undefined;
    case 'stream':
      return Array.isArray(rawHeaders) ? rawHeaders : undefined;
    default:
      return undefined;
  }
}

function carriersOf({ header, traceSecret }) {
  return ['baggage', 'tracestate', header, traceSecret && 'traceparent'].filter(Boolean);
}

/**
 * Whether one of the headers is there at all, before anybody parses them: an application that
 * looks at none of them pays for none of them. By length and first letter, mostly.
 */
function createPrecheck(names) {
  const lengths = names.map((name) => name.length);
  const byLength = Array.from({ length: Math.max(...lengths) + 1 }, (_, length) =>
    lengths.includes(length) ? names.filter((name) => name.length === length) : undefined,
  );
  return (rawHeaders) => {
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const wanted = byLength[rawHeaders[index].length];
      if (wanted !== undefined && isOneOf(wanted, rawHeaders[index])) return true;
    }
    return false;
  };
}

function isOneOf(wanted, name) {
  for (const one of wanted) {
    // All names are in small letters; this makes small ones of capital ones.
    const isLike = (name.charCodeAt(0) | 32) === one.charCodeAt(0);
    if (isLike && name.toLowerCase() === one) return true;
  }
  return false;
}

module.exports = { tagInbound };
