'use strict';

const { errorMonitor } = require('node:events');
const { beginCall, endCall, traceparentFor } = require('./calls.cjs');
const { safely } = require('./safely.cjs');

const callSymbol = Symbol('surety.call');
const defaultPorts = { http: ':80', https: ':443' };

/**
 * Calls by http and https. Nothing listens to `response` or `error`: Node would take that for an
 * application that wants them.
 */
function createCalled(outbox, { telemetry }) {
  const own = `${telemetry.host}:${telemetry.port}`;
  const tell = (request) => {
    const call = request[callSymbol];
    call.status = request.res?.statusCode ?? 0;
    endCall(outbox, call);
  };
  function onClose() {
    safely(tell, this);
  }
  function onError(error) {
    this[callSymbol].error = error;
  }
  const begin = ({ request, scheme }) => {
    const peer = peerOf(request, scheme);
    // Whoever else reports to the same place.
    if (peer === own) return;
    const call = beginCall();
    call.method = request.method;
    call.path = request.path;
    call.peer = peer;
    handOn(request, call);
    request[callSymbol] = call;
    request.on('close', onClose);
    request.on(errorMonitor, onError);
  };
  return (request, scheme) => {
    safely(begin, { request, scheme });
    return request;
  };
}

function handOn(request, call) {
  // Headers that were given as a list are written already.
  if (request.headersSent || request._header) return;
  const traceparent = traceparentFor(call, request.getHeader('traceparent'));
  if (traceparent !== undefined) request.setHeader('traceparent', traceparent);
}

/** Whom the application meant, also where the call goes to the router. */
function peerOf(request, scheme) {
  if (request.socketPath) return `${request.socketPath}:0`;
  const meant = request.getHeader('x-surety-to');
  if (meant !== undefined) return String(meant);
  const host = String(request.getHeader('host') ?? request.host);
  return /:\d+$/.test(host) ? host : host + defaultPorts[scheme];
}

module.exports = { createCalled };
