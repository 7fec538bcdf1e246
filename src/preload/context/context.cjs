'use strict';

const { Handled, isWaiting, mayServeOthers, noteTimer, nowMs, remove } = require('./handled.cjs');
const { stopWatchingInTime, watchWork } = require('./native-work.cjs');
const { bound, outside, requests: storage } = require('./storages.cjs');
const { noteAnswer, tellSharedAnswers } = require('./shared-answers.cjs');
const { onLoss, lose, doubt } = require('../key/losses.cjs');
const { isExporter } = require('../outbound/exporters.cjs');

/** The time that work may continue after the handler has answered. */
const graceMs = 1_000;

/** The context of a keyed request while it is handled and shortly after. */
function open(key, handedOn = {}) {
  const context = new Handled(key, handedOn);
  context.losses = [];
  context.doubts = new Set();
  if (active.size >= activeMax) forgetEnded();
  active.add(context);
  watchWork();
  return context;
}

/** The context of a request without a key. */
function openPlain() {
  stopWatchingInTime();
  return new Handled(undefined, none);
}

const none = Object.freeze({});

/** The keyed requests that this process handles, and some that ended recently. */
const active = new Set();
const activeMax = 1_000;

function forgetEnded() {
  for (const context of active) if (nowMs() >= context.endsAtMs) active.delete(context);
}

/** The request is over. Its key stays valid for a while, for the work that it left behind. */
function close(context, afterMs = graceMs) {
  if (context.key !== undefined) {
    context.endsAtMs = nowMs() + afterMs;
    context.isAnswered = afterMs === graceMs;
    // It waited while others called, and made no call of its own.
    if (context.callsMade === 0) for (const to of context.doubts) doubt(context, to);
  }
  tellSharedAnswers(context);
  remove(context);
}

/**
 * The caller of all calls of an instance of a lane that are made for no request, or for one that
 * can't be told: nobody but the lane is served here. Undefined in the baseline.
 */
let own;

function belongTo(lane) {
  own = lane === undefined ? undefined : { key: lane, handedOn: none, isNamed: true, isOwn: true };
}

const ownCaller = () => own;

/**
 * The context of the keyed request that a call is made for; undefined if there is none, or if the
 * call may be made for somebody else. A timer or a queue may keep a context for ever, so the key
 * ends with its request. In an instance of a lane such a call is still the lane's, and no loss.
 * `addressOf` finds out who is called, if a loss has to be reported.
 */
function current(addressOf) {
  const context = storage.getStore();
  if (own !== undefined && (context?.key ?? own.key) === own.key) return peek();
  if (context?.key === undefined) {
    if (active.size > 0) doubtOthers(context, addressOf?.());
    return undefined;
  }
  const how = whyNot(context);
  if (how === undefined) return context;
  const to = addressOf?.();
  if (isExporter(to)) return undefined;
  lose(context.request, how, to);
  if (context.isTimed) doubtOthers(context, to);
  return undefined;
}

/** Why code in this context may not use its key; undefined if it may. */
function whyNot(context) {
  if (nowMs() >= context.endsAtMs) return 'late';
  if (context.isTimed && metOthers(context.key)) return 'own';
  // What an answered request left running, such as a loop over a queue, may be for anybody.
  return mayServeOthers(context.key, context.isAnswered) ? 'mixed' : undefined;
}

/** Further addresses are not distinguished. */
const doubtsMax = 16;

/** A call without a key may be made for any keyed request that waits for something in here. */
function doubtOthers(caller, to) {
  if (isExporter(to)) return;
  forgetEnded();
  // Its handler makes the call right now, in a context that it has from somewhere else.
  if (beginning !== undefined && caller?.request !== beginning) doubt(beginning, to);
  for (const context of active) {
    if (context === caller?.request) continue;
    // A batch that a timer sends may contain work of any active request.
    if (caller?.isTimed) doubt(context, to);
    else if (!isWaiting(context)) continue;
    else if (caller === undefined) doubt(context, to);
    // Rather a call for the request that it is made by: only the outcome tells.
    else if (context.doubts.size < doubtsMax) context.doubts.add(to);
  }
}

/** A call to this address is made without a key. */
function bypass(to) {
  const context = current(() => to);
  if (context !== undefined) lose(context.request, 'untagged', to);
}

/** Like `current`, but for code that makes no call, so that no loss is reported. */
function peek() {
  const context = storage.getStore();
  return context?.key === undefined || whyNot(context) !== undefined ? undefined : context;
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

/** The context of callbacks of timers that no request has set. */
const nobodyLater = { key: undefined, isTimed: true, endsAtMs: Number.NEGATIVE_INFINITY };

/** A callback that may work for other requests by the time at which it is called. */
function timed(callback) {
  if (typeof callback !== 'function') return callback;
  const later = laterThan(storage.getStore());
  return function (...args) {
    noteTimer();
    return storage.run(later, () => Reflect.apply(callback, this, args));
  };
}

function laterThan(context) {
  if (context === undefined) return nobodyLater;
  return context.isTimed ? context : Object.assign(Object.create(context), { isTimed: true });
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

/**
 * Newer versions of Node drop a context at the end of a callback; a frame of its own would cost
 * more.
 */
const forgets = Number.parseInt(process.versions.node, 10) >= 24;

/** The keyed request whose handler has just been called and has not returned yet. */
let beginning;

/** Handles a request in its context, whatever the connection was used for before. */
function serve(context, action) {
  if (context.key !== undefined) return begin(context, action);
  if (!forgets) return storage.run(context, action);
  storage.enterWith(context);
  return action();
}

function begin(context, action) {
  const before = beginning;
  beginning = context;
  try {
    return storage.run(context, action);
  } finally {
    beginning = before;
  }
}

/** The request that code runs for, with a key or without. */
const serving = () => storage.getStore()?.request;
/** Sets the context for the rest of the current execution and everything that follows from it. */
const enter = (context) => storage.enterWith(context);
const entered = () => storage.getStore();

module.exports = {
  belongTo,
  ownCaller,
  open,
  openPlain,
  serve,
  close,
  current,
  bypass,
  peek,
  meet,
  noteAnswer,
  onLoss,
  timed,
  bound,
  outside,
  keep,
  within,
  run,
  enter,
  entered,
  serving,
};
