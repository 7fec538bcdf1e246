'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');
const { onLoss, lose, doubt } = require('../key/losses.cjs');

/** For work that a handler leaves behind when it has answered. */
const graceMs = 1_000;

const storage = new AsyncLocalStorage();

/** Goes on evenly whatever is done to the clock, and unlike `performance` is there already. */
const nowMs = () => process.uptime() * 1_000;

/**
 * What a keyed request is known by while it is served, and for a moment after. `handedOn` are
 * headers that calls on its behalf carry if the application gives them none.
 */
function open(key, handedOn = {}) {
  const context = { key, handedOn, isTimed: false, losses: [], request: undefined };
  Object.assign(context, { request: context, endsAtMs: Number.POSITIVE_INFINITY });
  if (active.size >= activeMax) forgetEnded();
  active.add(context);
  return context;
}

/** The keyed requests that this process serves, and some that have ended since. */
const active = new Set();
const activeMax = 1_000;

function forgetEnded() {
  for (const context of active) if (nowMs() >= context.endsAtMs) active.delete(context);
}

function close(context, afterMs = graceMs) {
  context.endsAtMs = nowMs() + afterMs;
}

/**
 * The context of the keyed request on whose behalf this code runs. A timer or a queue may carry a
 * context on for ever; its key ends with its request.
 */
function current(to) {
  const context = storage.getStore();
  if (context === undefined) return undefined;
  const isOver = nowMs() >= context.endsAtMs;
  if (!isOver && !mayBeOthers(context)) return context;
  if (context.key !== undefined) lose(context.request, isOver ? 'late' : 'own', to);
  // A batch of anybody may hold what any of them wants.
  if (context.isTimed && active.size > 0) loseShared(context.request, to);
  return undefined;
}

/** Somebody calls this address, and takes no key along. */
function bypass(to) {
  const context = current(to);
  if (context !== undefined) lose(context.request, 'untagged', to);
}

/** The same, for what is no call: nothing is lost if it has none. */
function peek() {
  const context = storage.getStore();
  if (context === undefined || nowMs() >= context.endsAtMs) return undefined;
  return mayBeOthers(context) ? undefined : context;
}

function mayBeOthers({ isTimed, key }) {
  return isTimed && metOthers(key);
}

/** As long as requests usually take: who came before that has nothing left to join with. */
const meetMsMax = 10_000;

/** The key of the newest request of this process, and when the newest with another one came. */
let newest = { key: undefined, atMs: Number.NEGATIVE_INFINITY };
let otherAtMs = Number.NEGATIVE_INFINITY;

/** A request has come, with a key or without. */
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

/** What timers call back that were set by nobody's request. */
const nobodyLater = { key: undefined, isTimed: true, endsAtMs: Number.NEGATIVE_INFINITY };

/** A callback that may have become others' business by the time at which it is called. */
function timed(callback) {
  if (typeof callback !== 'function') return callback;
  const later = laterThan(storage.getStore());
  return function (...args) {
    return storage.run(later, () => Reflect.apply(callback, this, args));
  };
}

/** On behalf of whoever it is given by, whoever calls it. */
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
/** For the rest of what runs now, and all that follows from it. */
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
