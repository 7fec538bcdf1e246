'use strict';

const { isPlainPromise } = require('../../context/plain-promise.cjs');
const { beginCall, traceparentFor } = require('./calls.cjs');
const { nowMs } = require('../clock.cjs');
const { templateOf } = require('../requests/routes.cjs');
const { safely } = require('../safely.cjs');
const { encodeCommon } = require('../otlp/spans.cjs');
const { Trace, entered, run, step } = require('../trace.cjs');

/** Messages that a service sends and handles, for clients of any broker. */
function createMessaging({ calls, served, tracer }) {
  const begin = (system, { destination, address }) => {
    if (tracer.isThere()) return undefined;
    const call = beginCall();
    call.common = commonOf('producer', system, { destination: plain(destination), address });
    return call;
  };
  const receive = (system, { destination, traceparent, lane }) => {
    if (tracer.isThere()) return undefined;
    const trace = new Trace(traceparent, lane);
    trace.route = routeOf(system, plain(destination));
    // Size and CPU time of messages are unknown.
    trace.requestBytes = -1;
    trace.epoch = -1;
    return trace;
  };
  const end = (trace, error) => {
    if (error !== undefined) trace.error ??= error;
    served(trace);
  };
  const report = (trace, error) => safely(end, trace, error);
  return {
    /** A message that is about to be sent; undefined if it is not reported. */
    begin: (system, about) => safely(begin, system, about),
    /** The traceparent that it carries, if it has `given`; undefined leaves it unchanged. */
    traceparentFor: (call, given) => safely(traceparentFor, call, given),
    /** Sends it. A message is reported when the client of its broker has accepted it. */
    sent(call, send) {
      let error;
      try {
        return send();
      } catch (thrown) {
        error = thrown;
        throw thrown;
      } finally {
        call.error = error;
        safely(calls.end, call);
      }
    },
    /** A received message, to be handled now or later; undefined if it is not reported. */
    receive: (system, about) => safely(receive, system, about),
    /** Runs a handler for it, and reports it when the handler is done. */
    handle(trace, handler) {
      if (trace === undefined) return handler();
      return followed(trace, handler, report);
    },
    /** Runs something for it without a report. */
    within: run,
    /** Continues for it until `leave`; returns the trace that was current before. */
    enter,
    /** Reports it. Goes back to `before`, or returns false if this runs for another trace. */
    leave(trace, before) {
      report(trace);
      return goBack(trace, before);
    },
  };
}

function enter(trace) {
  const before = entered();
  trace.beganMs = nowMs();
  step(trace);
  return before;
}

function goBack(trace, before) {
  const isHere = entered() === trace;
  if (isHere) step(before);
  return isHere;
}

/** Returns the derived promise, so that an unhandled rejection stays unhandled. */
function followed(trace, handler, report) {
  let result;
  try {
    result = run(trace, handler);
  } catch (error) {
    report(trace, error);
    throw error;
  }
  if (!isPlainPromise(result)) {
    report(trace);
    return result;
  }
  return result.then(
    (value) => {
      report(trace);
      return value;
    },
    (error) => {
      report(trace, error);
      throw error;
    },
  );
}

/** Subjects and queues may contain ids, as paths do. */
const plain = (destination) =>
  templateOf(String(destination).replaceAll('.', '/')).replaceAll('/', '.');

const operations = {
  producer: { type: 'send', name: 'publish' },
  consumer: { type: 'process', name: 'process' },
};

/** What messages have in common, encoded, by everything that differs. */
const encoded = new Map();
const encodedMax = 1_000;

function commonOf(kind, system, { destination, address }) {
  const known = `${kind} ${system} ${destination} ${address}`;
  const common = encoded.get(known) ?? encode(kind, system, { destination, address });
  if (encoded.size >= encodedMax) encoded.clear();
  encoded.set(known, common);
  return common;
}

function encode(kind, system, { destination, address }) {
  const { type, name } = operations[kind];
  const colon = address?.lastIndexOf(':') ?? -1;
  const values = {
    'messaging.system': system,
    'messaging.destination.name': destination,
    'messaging.operation.type': type,
    'messaging.operation.name': name,
    'server.address': colon < 0 ? undefined : address.slice(0, colon),
    'server.port': colon < 0 ? undefined : Number(address.slice(colon + 1)) || undefined,
  };
  return encodeCommon(kind, `${name} ${destination}`, values, false);
}

/** Takes the place of the route of a request: see served.cjs. */
function routeOf(system, destination) {
  return { common: () => commonOf('consumer', system, { destination }) };
}

module.exports = { createMessaging };
