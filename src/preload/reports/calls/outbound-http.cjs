'use strict';

const { beginCall, traceparentFor } = require('./calls.cjs');
const { safely } = require('../safely.cjs');

const callSymbol = Symbol('surety.call');
const defaultPorts = { http: ':80', https: ':443' };

/**
 * Calls by http and https. Adds no listener for `response` or `error`, because Node would assume
 * that the application handles them.
 */
function createCalled(calls, { telemetry }) {
  const own = `${telemetry.host}:${telemetry.port}`;
  const tell = (request) => {
    const call = request[callSymbol];
    const { res } = request;
    if (res !== undefined && res !== null) call.status = res.statusCode;
    if (call.status === 0 || res.aborted) call.error = errorOf(request);
    calls.end(call);
  };
  function onClose() {
    safely(tell, this);
  }
  const begin = (request, scheme) => {
    const peer = peerOf(request, scheme);
    // Reports of the application to the same receiver are not reported themselves.
    if (peer === own) return;
    const call = beginCall();
    call.method = request.method;
    call.path = request.path;
    call.peer = peer;
    handOn(request, call);
    request[callSymbol] = call;
    request.on('close', onClose);
  };
  return (request, scheme) => {
    safely(begin, request, scheme);
    return request;
  };
}

/** Why there is no answer, or only a part of one. */
function errorOf({ errored, socket, reusedSocket }) {
  const error = errored ?? socket?.errored;
  if (error) return error;
  const message = reusedSocket ? 'the connection was closed' : 'there was no answer';
  return { name: 'Error', code: 'ECONNRESET', message };
}

function handOn(request, call) {
  // Headers that were given as a list have already been written.
  if (request.headersSent || request._header) return;
  const traceparent = traceparentFor(call, request.getHeader('traceparent'));
  if (traceparent !== undefined) request.setHeader('traceparent', traceparent);
}

/** The peer that the application meant, even if the call goes to the router. */
function peerOf(request, scheme) {
  if (request.socketPath) return `${request.socketPath}:0`;
  const meant = request.getHeader('x-surety-to');
  if (meant !== undefined) return String(meant);
  const host = String(request.getHeader('host') ?? request.host);
  return host.lastIndexOf(':') > host.lastIndexOf(']') ? host : host + defaultPorts[scheme];
}

module.exports = { createCalled };
