'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { performance } = require('node:perf_hooks');

/** For work that a handler leaves behind when it has answered. */
const graceMs = 1_000;

const storage = new AsyncLocalStorage();

/**
 * What a keyed request is known by while it is served, and for a moment after. `handedOn` are
 * headers that calls on its behalf carry if the application gives them none.
 */
function open(key, handedOn = {}) {
  return { key, handedOn, endsAtMs: Number.POSITIVE_INFINITY };
}

function close(context) {
  context.endsAtMs = performance.now() + graceMs;
}

/**
 * The context of the keyed request on whose behalf this code runs. A timer or a queue may carry a
 * context on for ever; its key ends with its request.
 */
function current() {
  const context = storage.getStore();
  return context !== undefined && performance.now() < context.endsAtMs ? context : undefined;
}

/** On behalf of nobody: what outlives a request must not carry its key to the next one. */
function outside(run) {
  return storage.getStore() === undefined ? run() : storage.run(undefined, run);
}

/**
 * Listeners of this emitter run in its own context. Sockets and parsers emit from theirs, which
 * is that of whoever used the connection first.
 */
function keep(emitter, context, onEmit = () => {}) {
  const { emit } = emitter;
  emitter.emit = function (...args) {
    onEmit(...args);
    return storage.run(context, () => Reflect.apply(emit, this, args));
  };
}

/** All methods of this object run in the context, on the object itself. */
function within(object, context) {
  return new Proxy(object, {
    get(target, name) {
      const value = target[name];
      if (typeof value !== 'function') return value;
      return (...args) => storage.run(context, () => Reflect.apply(value, target, args));
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });
}

const run = (context, action) => storage.run(context, action);

module.exports = { open, close, current, outside, keep, within, run };
