'use strict';

const { isPlainPromise } = require('../../context/plain-promise.cjs');
const { beginCall, traceparentFor } = require('./calls.cjs');
const { nowMs } = require('../clock.cjs');
const { templateOf } = require('../requests/routes.cjs');
const { safely } = require('../safely.cjs');
const { encodeCommon } = require('../otlp/spans.cjs');
const { Trace, entered, run, step } = require('../trace.cjs');

/** Messages that a service sends and deals with, for clients of any broker. */
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
    // Neither sizes nor CPU time are known of messages.
    trace.requestBytes = -1;
    trace.epoch = -1;
    return trace;
  };
  const end = (trace, error) => {
    if (error !== undefined) trace.error ??= error;
    served(trace);
  };
  const told = (trace, error) => safely(end, trace, error);
  return {
    /** One that is about to be sent; undefined when it is not told. */
    begin: (system, about) => safely(begin, system, about),
    /** What it is to carry, if it carries `given`; undefined: it stays as it is. */
    traceparentFor: (call, given) => safely(traceparentFor, call, given),
    /** Sends it: a message is told when its broker's client has taken it. */
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
    /** One that came, to be dealt with now or later; undefined when it is not told. */
    receive: (system, about) => safely(receive, system, about),
    /** Runs a handler for it, and tells of it when that is done. */
    handle(trace, handler) {
      if (trace === undefined) return handler();
      return followed(trace, handler, told);
    },
    /** Runs something for it, of which nothing is told. */
    within: run,
    /** Goes on for it, until `leave`; says for whom it was until now. */
    enter,
    /** Tells of it. Goes back to `before`, unless this is run for somebody else: then false. */
    leave(trace, before) {
      told(trace);
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

/** What is handed on is what was heard: nobody's failure is taken for handled. */
function followed(trace, handler, told) {
  let result;
  try {
    result = run(trace, handler);
  } catch (error) {
    told(trace, error);
    throw error;
  }
  if (!isPlainPromise(result)) {
    told(trace);
    return result;
  }
  return result.then(
    (value) => {
      told(trace);
      return value;
    },
    (error) => {
      told(trace, error);
      throw error;
    },
  );
}

/** Subjects and queues may have ids in them, as paths do. */
const plain = (destination) =>
  templateOf(String(destination).replaceAll('.', '/')).replaceAll('/', '.');

const operations = {
  producer: { type: 'send', name: 'publish' },
  consumer: { type: 'process', name: 'process' },
};

/** What messages have in common, encoded, by all that differs. */
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

/** In the place of the route of a request: see served.cjs. */
function routeOf(system, destination) {
  return { common: () => commonOf('consumer', system, { destination }) };
}

module.exports = { createMessaging };
