'use strict';

const http = require('node:http');
const cpu = require('../process/cpu.cjs');
const { replace } = require('../../replace.cjs');
const { routeOf } = require('./routes.cjs');
const { safely } = require('../safely.cjs');
const { Trace } = require('../trace.cjs');

/** The property of a response that holds the trace of its request. */
const traceSymbol = Symbol('surety.trace');

const traceOf = (response) => response[traceSymbol];

/** Starts to measure a request of HTTP/1. */
function beginRequest(request, response, trace) {
  trace.method = request.method;
  trace.path = request.url;
  trace.writtenBefore = request.socket?._bytesDispatched ?? 0;
  response[traceSymbol] = trace;
  cpu.enter(trace);
  return trace;
}

/** From the raw list, by the length of the names first: most requests have none of them. */
function beginTrace(rawHeaders, lane) {
  const trace = new Trace(undefined, lane);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    const { length } = name;
    if (length >= 11 && length <= 17) readHeader(trace, name, rawHeaders[index + 1]);
  }
  return trace;
}

function readHeader(trace, name, value) {
  switch (name.length) {
    case 11:
      if (isName(name, 'traceparent')) trace.traceparent = value;
      break;
    case 12:
      if (isName(name, 'x-request-id')) trace.requestId = value;
      break;
    case 14:
      // Node has already refused invalid lengths.
      if (isName(name, 'content-length')) trace.requestBytes = Number(value);
      break;
    case 16:
      if (trace.requestId === '' && isName(name, 'x-correlation-id')) trace.requestId = value;
      break;
    case 17:
      if (isName(name, 'transfer-encoding')) trace.requestBytes = -1;
      break;
  }
}

function isName(name, wanted) {
  return (name.charCodeAt(0) | 32) === wanted.charCodeAt(0) && name.toLowerCase() === wanted;
}

/**
 * An answer is over when it is detached from its connection, or when its connection closes. A
 * listener on each answer would cost more than everything else that is recorded.
 */
function watchAnswers(served) {
  const tell = (response) => {
    const trace = response[traceSymbol];
    const { req } = response;
    if (trace.route === undefined && req.route) trace.route = routeIn(req);
    trace.isGone = !response.writableFinished;
    // A client that left before anything was sent got no answer and no status.
    if (response.headersSent) {
      trace.status = response.statusCode;
      trace.responseBytes = bodyBytes(response, trace);
    }
    served(trace);
  };
  replace(
    http.ServerResponse.prototype,
    'detachSocket',
    (detachSocket) =>
      function (socket) {
        if (this[traceSymbol] !== undefined) safely(tell, this);
        return Reflect.apply(detachSocket, this, [socket]);
      },
  );
  function onClose() {
    const { _httpMessage: response } = this;
    if (response?.[traceSymbol] !== undefined) safely(tell, response);
  }
  /** Once for each connection, before its first request. */
  return (socket) => {
    if (socket[watchedSymbol]) return;
    socket[watchedSymbol] = true;
    socket.on('close', onClose);
  };
}

const watchedSymbol = Symbol('surety.watched');

/** The length in the answer's headers, or the bytes written to the connection after its head. */
function bodyBytes(response, { writtenBefore }) {
  const { _contentLength: length, _header: head, req } = response;
  if (typeof length === 'number') return response._hasBody ? length : 0;
  const written = req.socket?._bytesDispatched;
  return written === undefined ? -1 : Math.max(0, written - writtenBefore - head.length);
}

/** Express writes it to the request itself. */
function routeIn({ route: { path }, baseUrl = '' }) {
  return typeof path === 'string' ? routeOf(`${baseUrl}${path}`) : undefined;
}

module.exports = { beginRequest, beginTrace, traceOf, watchAnswers };
