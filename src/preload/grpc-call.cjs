'use strict';

const context = require('./context.cjs');

/** On its way from the call to the session; it never leaves the process. */
const markHeader = 'x-surety-call';
const nobody = '-';

/**
 * gRPC keeps calls back until a channel is ready, or a retry is due, and sends them then: in the
 * context of a timer or of another call. So each is marked with its caller where it is made. What
 * the application gets for a call is an emitter; the call itself is put into it before it starts.
 */
function tagGrpcCall(emitter) {
  let started;
  Object.defineProperty(emitter, 'call', {
    configurable: true,
    enumerable: true,
    get: () => started,
    set(call) {
      started = call;
      if (typeof call?.start === 'function') markStart(call);
    },
  });
}

function markStart(call) {
  const { start } = call;
  call.start = function (metadata, listener) {
    const caller = context.current();
    const marked = metadata.clone();
    marked.set(markHeader, caller ? caller.key : nobody);
    if (caller === undefined) return Reflect.apply(start, this, [marked, listener]);
    for (const [name, value] of Object.entries(caller.handedOn)) {
      if (marked.get(name).length === 0) marked.set(name, value);
    }
    return Reflect.apply(start, this, [marked, context.within(listener, caller)]);
  };
}

/** Undefined when it is not a marked call. */
function takeCall(headers) {
  const mark = headers?.[markHeader];
  if (mark === undefined) return undefined;
  const { [markHeader]: _, ...others } = headers;
  const key = String(mark);
  const caller = key === nobody ? undefined : { key, handedOn: {}, isNamed: true };
  return { caller, headers: others };
}

module.exports = { tagGrpcCall, takeCall };
