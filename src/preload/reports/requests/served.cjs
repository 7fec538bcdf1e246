'use strict';

const cpu = require('../process/cpu.cjs');
const { nowMs } = require('../clock.cjs');
const { Ended } = require('./ended.cjs');
const { routeOfPath } = require('./routes.cjs');
const { safely } = require('../safely.cjs');
const { bare, encodeCommon, isBare, putServed } = require('../otlp/spans.cjs');

/** This many are encoded together, so that code and data stay in the CPU caches. */
const togetherMax = 64;

/** Handled requests, on their way into a batch. */
function createServed(outbox) {
  const ended = new Ended(togetherMax);
  const put = (trace) => putServed(outbox, trace, commonOf(trace));
  // A request that cannot be encoded does not affect the others.
  const write = () => {
    for (let index = 0; index < ended.count; index++) safely(put, ended.read(index));
    ended.clear();
  };
  outbox.beforeSending(write);
  /** Adds a request that is over. */
  return (trace) => {
    if (trace.isTold) return;
    trace.isTold = true;
    trace.cpuUs = cpu.leave(trace);
    trace.endedMs = nowMs();
    if (ended.count === 0) outbox.expect();
    ended.add(trace);
    if (ended.count >= togetherMax) write();
  };
}

function commonOf(trace) {
  const { route = routeOfPath(trace.path), method, status, rpcStatus } = trace;
  // The route of a message.
  if (route.common !== undefined) return route.common();
  const byStatus = route.encoded.get(method) ?? remember(route.encoded, method, new Map());
  const variant = (rpcStatus < 0 ? status : 1_000 + rpcStatus) * 2 + (isBare(trace) ? 1 : 0);
  return byStatus.get(variant) ?? remember(byStatus, variant, encode(route.text, trace));
}

/** An application may use any number of methods and statuses. */
const variantsMax = 64;

function remember(map, key, value) {
  if (map.size < variantsMax) map.set(key, value);
  return value;
}

/** gRPC codes: unknown, deadline exceeded, unimplemented, internal, unavailable, data loss. */
const rpcFailures = [2, 4, 12, 13, 14, 15];

function encode(route, trace) {
  const { method, status, rpcStatus } = trace;
  const isRpc = rpcStatus >= 0;
  const values = {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status || undefined,
    ...(isRpc ? { 'rpc.system': 'grpc', 'rpc.grpc.status_code': rpcStatus } : {}),
    ...(isBare(trace) ? bare : {}),
  };
  const isError = status >= 500 || rpcFailures.includes(rpcStatus);
  return encodeCommon('server', isRpc ? route.slice(1) : `${method} ${route}`, values, isError);
}

module.exports = { createServed };
