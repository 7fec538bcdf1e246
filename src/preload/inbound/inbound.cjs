'use strict';

const http = require('node:http');
const net = require('node:net');
const context = require('../context/context.cjs');
const { add } = require('../context/handled.cjs');
const { lazily } = require('../lazily.cjs');
const { replace } = require('../replace.cjs');

/** The property of an answer that holds the context of its request. */
const handledSymbol = Symbol('surety.handled');

/**
 * Each request is handled in a context of its own. All servers of Node, for HTTP/1 and HTTP/2, with
 * TLS or without, inherit from this class and emit requests.
 */
function tagInbound(settings) {
  const mayCarry = createPrecheck(carriersOf(settings));
  const keyed = lazily(() => require('./inbound-keyed.cjs').createServe(settings));
  const { reports } = settings;
  const begin = (args, rawHeaders, answer) => {
    const found = mayCarry(rawHeaders) ? keyed().find(args) : undefined;
    context.meet(found?.key);
    const handled = found === undefined ? beginPlain(args, answer) : keyed().begin(args, found);
    // An upgraded connection stays open, whatever else is done for it.
    if (!(answer instanceof net.Socket)) add(handled, messageOf(args), answer);
    answer[handledSymbol] = handled;
    return handled;
  };
  watchAnswers();
  replace(
    net.Server.prototype,
    'emit',
    (emit) =>
      function (...args) {
        const rawHeaders = rawHeadersOf(args);
        if (rawHeaders === undefined) return Reflect.apply(emit, this, args);
        const answer = args[0] === 'stream' ? args[1] : args[2];
        // Some applications pass a request from server to server by emitting it again.
        const handled = answer[handledSymbol] ?? begin(args, rawHeaders, answer);
        const run = () => Reflect.apply(emit, this, args);
        const trace = reports?.begin(args, rawHeaders, handled.key);
        if (trace === undefined || reports.enter(trace)) return context.serve(handled, run);
        return reports.run(trace, () => context.serve(handled, run));
      },
  );
}

/** Streams of HTTP/2 do not tell whether they are complete. */
const messageOf = ([event, request]) => (event === 'stream' ? undefined : request);

function beginPlain([event], answer) {
  const handled = context.openPlain();
  // The prototype of responses tells their end at less cost.
  if (event !== 'request') answer.once('close', () => context.close(handled));
  return handled;
}

/** An answer is over when it is detached from its connection. */
function watchAnswers() {
  replace(
    http.ServerResponse.prototype,
    'detachSocket',
    (detachSocket) =>
      function (socket) {
        const handled = this[handledSymbol];
        if (handled !== undefined && handled.key === undefined) context.close(handled);
        return Reflect.apply(detachSocket, this, [socket]);
      },
  );
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
