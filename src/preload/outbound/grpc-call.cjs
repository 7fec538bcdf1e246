'use strict';

const context = require('../context/context.cjs');
const { callerOf } = require('../context/caller.cjs');
const { callBegins, waitEnds } = require('../context/handled.cjs');

/** A header between the call and the session; it never leaves the process. */
const markHeader = 'x-surety-call';
const nobody = '-';
/** For a call that is the lane's only because of the process that makes it. */
const ownMark = '+';

/**
 * gRPC delays calls until a channel is ready or a retry is due, and sends them in the context of a
 * timer or of another call. So each call is marked with its caller when it is made. The application
 * gets an emitter for a call, and the call is put into it before it starts.
 */
function tagGrpcCall(emitter, { reports }) {
  let started;
  Object.defineProperty(emitter, 'call', {
    configurable: true,
    enumerable: true,
    get: () => started,
    set(call) {
      started = call;
      if (typeof call?.start === 'function') markStart(call, reports);
    },
  });
}

function markStart(call, reports) {
  const { start } = call;
  call.start = function (metadata, listener) {
    const caller = callerOf(undefined, {}, () => peerOf(call));
    countCall(listener);
    const marked = metadata.clone();
    const key = caller?.isOwn ? ownMark : (caller?.key ?? nobody);
    marked.set(markHeader, key + remember(reports?.current()));
    if (caller === undefined || caller.isOwn) return Reflect.apply(start, this, [marked, listener]);
    for (const [name, value] of Object.entries(caller.handedOn)) {
      if (marked.get(name).length === 0) marked.set(name, value);
    }
    return Reflect.apply(start, this, [marked, context.within(listener, caller)]);
  };
}

/** `dns:collector:4317`; undefined for what is no host and port, as a socket of the system. */
function peerOf(call) {
  return /(?:^|[:/])([\w.-]+:\d{1,5})$/.exec(call.getPeer?.() ?? '')?.[1];
}

/** Until its status comes, the request waits for it. */
function countCall(listener) {
  const serving = context.serving();
  if (serving === undefined) return;
  callBegins(serving);
  const { onReceiveStatus } = listener;
  listener.onReceiveStatus = function (...args) {
    waitEnds(serving);
    return Reflect.apply(onReceiveStatus, this, args);
  };
}

/** Undefined for a call without a mark. */
function takeCall(headers) {
  const mark = headers?.[markHeader];
  if (mark === undefined) return undefined;
  const { [markHeader]: _, ...others } = headers;
  const [key, number] = String(mark).split('#');
  const caller = callerMarked(key);
  const trace = traces.get(number);
  traces.delete(number);
  return { caller, trace, headers: others };
}

function callerMarked(key) {
  if (key === nobody) return undefined;
  return key === ownMark ? context.ownCaller() : { key, handedOn: {}, isNamed: true };
}

/** The traces of delayed calls, so that a call is reported for its own request. */
const traces = new Map();
const tracesMax = 10_000;
let numbers = 0;

function remember(trace) {
  if (trace === undefined || traces.size >= tracesMax) return '';
  numbers++;
  traces.set(String(numbers), trace);
  return `#${numbers}`;
}

module.exports = { tagGrpcCall, takeCall };
