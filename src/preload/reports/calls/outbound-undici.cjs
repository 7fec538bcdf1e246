'use strict';

const channels = require('node:diagnostics_channel');
const { beginCall, traceparentFor } = require('./calls.cjs');
const { safely } = require('../safely.cjs');

const pending = new WeakMap();

/**
 * All copies of undici report their calls to this diagnostics channel, also the one behind fetch.
 */
function watchUndici(calls, { router }, tracer) {
  const way = `${router.host}:${router.port}`;
  listen('undici:request:create', ({ request }) => {
    if (!tracer.isThere()) pending.set(request, begin(request, way));
  });
  listen('undici:request:headers', ({ request, response }) => {
    const call = pending.get(request);
    if (call === undefined) return;
    call.status = response.statusCode;
    // An upgraded connection has no end of its own.
    if (request.upgrade) calls.end(call);
  });
  listen('undici:request:trailers', ({ request }) => finish(calls, request));
  listen('undici:request:error', ({ request, error }) => finish(calls, request, error));
}

/** Node drops channels without a reference, together with their listeners. */
const held = [];

function listen(name, hear) {
  const channel = channels.channel(name);
  channel.subscribe((message) => safely(hear, message));
  held.push(channel);
}

function begin(request, way) {
  const call = beginCall();
  const { protocol, host } = new URL(request.origin);
  call.method = request.method;
  call.path = request.path;
  const isRouted = host === way;
  const address = /:\d+$/.test(host) ? host : `${host}:${protocol === 'https:' ? 443 : 80}`;
  call.peer = (isRouted && findHeader(request.headers, 'x-surety-to')) || address;
  handOn(request, call);
  return call;
}

function handOn(request, call) {
  const given = findHeader(request.headers, 'traceparent');
  const traceparent = traceparentFor(call, given);
  if (traceparent === undefined) return;
  if (given === undefined) request.addHeader('traceparent', traceparent);
  else if (Array.isArray(request.headers))
    request.headers[request.headers.indexOf(given)] = traceparent;
  else request.headers = request.headers.replace(given, traceparent);
}

/** A text of lines in older versions, a flat list in newer ones. */
function findHeader(headers, wanted) {
  if (typeof headers === 'string') {
    return new RegExp(`^${wanted}: *(.*?)\\r?$`, 'im').exec(headers)?.[1];
  }
  if (!Array.isArray(headers)) return undefined;
  for (let index = 0; index < headers.length; index += 2) {
    if (String(headers[index]).toLowerCase() === wanted) return String(headers[index + 1]);
  }
  return undefined;
}

function finish(calls, request, error) {
  const call = pending.get(request);
  if (call === undefined) return;
  call.error = error;
  calls.end(call);
}

module.exports = { watchUndici };
