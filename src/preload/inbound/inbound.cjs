'use strict';

const net = require('node:net');
const context = require('../context/context.cjs');
const { lazily } = require('../lazily.cjs');

/**
 * Handlers of keyed requests run in a context with the key. All servers of Node, for HTTP/1 and
 * HTTP/2, with TLS or without, inherit from this class and emit requests.
 */
function tagInbound(settings) {
  const mayCarry = createPrecheck(carriersOf(settings));
  const keyed = lazily(() => require('./inbound-keyed.cjs').createServe(settings));
  const { reports } = settings;
  // The current context may be that of whoever started the server or used this connection before.
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

/**
 * Undefined for events that are not requests. In HTTP/2, a request belongs to a stream that was
 * emitted before.
 */
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
 * Whether one of the headers is present at all, checked before headers are parsed, so that a
 * request without them costs almost nothing. Compares length and first letter first.
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
    // The names are in lower case; this converts an upper-case letter to lower case.
    const isLike = (name.charCodeAt(0) | 32) === one.charCodeAt(0);
    if (isLike && name.toLowerCase() === one) return true;
  }
  return false;
}

module.exports = { tagInbound };
