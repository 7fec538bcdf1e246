'use strict';

const { nowMs } = require('../clock.cjs');
const { EndedCalls } = require('./ended-calls.cjs');
const { Ids, nextSeed, randomWord, traceparentOf } = require('../otlp/ids.cjs');
const { routeOfPath } = require('../requests/routes.cjs');
const { safely } = require('../safely.cjs');
const { encodeCommon, putCalled } = require('../otlp/spans.cjs');
const { idsOf, traceOfCall } = require('../trace.cjs');

/** A call made by this service, for a request or by itself. */
class Call {
  constructor(trace) {
    this.trace = trace;
    this.hasParent = trace !== undefined;
    // The seed of its ids: see ids.cjs.
    this.seed = trace === undefined ? nextSeed() : trace.seed;
    this.ids = trace === undefined ? new Ids(undefined, this.seed) : idsOf(trace);
    this.lane = trace?.lane;
    this.s0 = trace === undefined ? this.ids.s0 : randomWord();
    this.s1 = trace === undefined ? this.ids.s1 : randomWord() | 1;
    this.beganMs = nowMs();
    this.endedMs = 0;
    this.method = '';
    this.peer = '';
    this.path = '';
    this.status = 0;
    this.rpcStatus = -1;
    this.error = undefined;
    /**
     * Of a query or a message: its statement, what it has in common with others of its kind, and
     * the request that waits for it.
     */
    this.statement = undefined;
    this.common = undefined;
    this.serving = undefined;
  }
}

/** `trace` is given if the call is made in another context than that of its request. */
function beginCall(trace = traceOfCall()) {
  if (trace !== undefined) trace.calls++;
  return new Call(trace);
}

/**
 * The traceparent of this call, so that the work of the callee is found below it. Undefined if
 * `given`, the application's header, is its own and not just the incoming one.
 */
function traceparentFor(call, given) {
  const isOwn = given !== undefined && given !== call.trace?.traceparent;
  return isOwn ? undefined : traceparentOf(call.ids, call);
}

/** This many are encoded together, as with requests. */
const togetherMax = 64;

/** Ended calls, on their way into a batch. */
function createCalls(outbox) {
  const ended = new EndedCalls(togetherMax);
  const put = (call) => putCalled(outbox, call, call.common ?? commonOf(call));
  const write = () => {
    for (let index = 0; index < ended.count; index++) safely(put, ended.read(index));
    ended.clear();
  };
  outbox.beforeSending(write);
  return {
    end(call) {
      // It has already ended, as when something fails after its answer.
      if (call.endedMs !== 0) return;
      call.endedMs = nowMs();
      if (ended.count === 0) outbox.expect();
      ended.add(call);
      if (ended.count >= togetherMax) write();
    },
    /** Counts a call that is not reported. */
    lose: () => outbox.dropped.spans++,
  };
}

/** What calls have in common, encoded, by everything that differs. */
const encoded = new Map();
const encodedMax = 1_000;

function commonOf(call) {
  const { method, peer, status, rpcStatus } = call;
  const route = routeOfPath(call.path).text;
  const known = `${method} ${peer}${route} ${status} ${rpcStatus}`;
  const common = encoded.get(known);
  if (common !== undefined) return common;
  if (encoded.size >= encodedMax) encoded.clear();
  encoded.set(known, encode(route, call));
  return encoded.get(known);
}

function encode(route, { method, peer, status, rpcStatus }) {
  const isRpc = rpcStatus >= 0;
  const colon = peer.lastIndexOf(':');
  const values = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status || undefined,
    'server.address': peer.slice(0, colon),
    'server.port': Number(peer.slice(colon + 1)) || undefined,
    ...(isRpc ? { 'rpc.system': 'grpc', 'rpc.grpc.status_code': rpcStatus } : {}),
  };
  const isError = status >= 400 || rpcStatus > 0;
  return encodeCommon('client', isRpc ? route.slice(1) : `${method} ${route}`, values, isError);
}

module.exports = { beginCall, createCalls, traceparentFor };
