'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { onLoss, lose, doubt } = require('../key/losses.cjs');

/** The time that work may continue after the handler has answered. */
const graceMs = 1_000;

const storage = new AsyncLocalStorage();

/** Monotonic even if the clock is set, and, unlike `performance`, available this early. */
const nowMs = () => process.uptime() * 1_000;

/**
 * The context of a keyed request while it is handled and shortly after. `handedOn` are headers that
 * its calls carry unless the application sets them.
 */
function open(key, handedOn = {}) {
  const context = { key, handedOn, isTimed: false, losses: [], request: undefined };
  Object.assign(context, { request: context, endsAtMs: Number.POSITIVE_INFINITY });
  if (active.size >= activeMax) forgetEnded();
  active.add(context);
  return context;
}

/** The keyed requests that this process handles, and some that ended recently. */
const active = new Set();
const activeMax = 1_000;

function forgetEnded() {
  for (const context of active) if (nowMs() >= context.endsAtMs) active.delete(context);
}

function close(context, afterMs = graceMs) {
  context.endsAtMs = nowMs() + afterMs;
}

/**
 * The context of the keyed request that this code runs for. A timer or a queue may keep a context
 * for ever, so the key ends with its request.
 */
function current(to) {
  const context = storage.getStore();
  if (context === undefined) return undefined;
  const isOver = nowMs() >= context.endsAtMs;
  if (!isOver && !mayBeOthers(context)) return context;
  if (context.key !== undefined) lose(context.request, isOver ? 'late' : 'own', to);
  // A batch that a timer sends may contain work of any active request.
  if (context.isTimed && active.size > 0) loseShared(context.request, to);
  return undefined;
}

/** A call to this address is made without a key. */
function bypass(to) {
  const context = current(to);
  if (context !== undefined) lose(context.request, 'untagged', to);
}

/** Like `current`, but for code that makes no call, so that no loss is reported. */
function peek() {
  const context = storage.getStore();
  if (context === undefined || nowMs() >= context.endsAtMs) return undefined;
  return mayBeOthers(context) ? undefined : context;
}

function mayBeOthers({ isTimed, key }) {
  return isTimed && metOthers(key);
}

/** Requests are usually over by then, and cannot join a batch any more. */
const meetMsMax = 10_000;

/**
 * The key of the newest request of this process, and when the newest request with another key came.
 */
let newest = { key: undefined, atMs: Number.NEGATIVE_INFINITY };
let otherAtMs = Number.NEGATIVE_INFINITY;

/** Notes that a request arrived, with a key or without. */
function meet(key) {
  const atMs = nowMs();
  if (newest.key === key) {
    newest.atMs = atMs;
    return;
  }
  otherAtMs = newest.atMs;
  newest = { key, atMs };
}

function metOthers(key) {
  return nowMs() - (newest.key === key ? otherAtMs : newest.atMs) < meetMsMax;
}

function loseShared(owner, to) {
  forgetEnded();
  for (const context of active) if (context !== owner) doubt(context, to);
}

/** The context of callbacks of timers that no request has set. */
const nobodyLater = { key: undefined, isTimed: true, endsAtMs: Number.NEGATIVE_INFINITY };

/** A callback that may work for other requests by the time at which it is called. */
function timed(callback) {
  if (typeof callback !== 'function') return callback;
  const later = laterThan(storage.getStore());
  return function (...args) {
    return storage.run(later, () => Reflect.apply(callback, this, args));
  };
}

/** Binds a callback to the current context, whoever calls it. */
function bound(callback) {
  if (typeof callback !== 'function') return callback;
  const given = storage.getStore();
  return function (...args) {
    return storage.run(given, () => Reflect.apply(callback, this, args));
  };
}

function laterThan(context) {
  if (context === undefined) return nobodyLater;
  return context.isTimed ? context : Object.assign(Object.create(context), { isTimed: true });
}

/** Runs without a context: what outlives a request must not carry its key to the next one. */
function outside(run) {
  return storage.getStore() === undefined ? run() : storage.run(undefined, run);
}

/**
 * Listeners of this emitter run in the given context. Sockets and parsers would emit in the context
 * of the request that used the connection first.
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
/** Sets the context for the rest of the current execution and everything that follows from it. */
const enter = (context) => storage.enterWith(context);
const entered = () => storage.getStore();

module.exports = {
  open,
  close,
  current,
  bypass,
  peek,
  meet,
  onLoss,
  timed,
  bound,
  outside,
  keep,
  within,
  run,
  enter,
  entered,
};
