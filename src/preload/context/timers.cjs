'use strict';

const timers = require('node:timers');
const later = require('node:timers/promises');
const context = require('./context.cjs');
const { noteTimer } = require('./handled.cjs');
const { lazily } = require('../lazily.cjs');
const { replace } = require('../replace.cjs');

/**
 * A timer's callback may work for other requests than the one that set it: code that batches calls
 * sets a timer for the first call and sends all that came meanwhile. Nobody can see from outside
 * which requests joined, so the callback is marked as called by a timer. Code that awaits a timer
 * keeps its own context.
 */
function tagTimers(settings) {
  tellLosses(settings);
  const { setTimeout: start } = timers;
  replaceGlobal(
    'setTimeout',
    (direct) =>
      function (callback, ...rest) {
        const timer = Reflect.apply(direct, this, [context.timed(callback), ...rest]);
        if (isResolver(callback)) awaitTimer(timer);
        return timer;
      },
  );
  replaceGlobal(
    'setInterval',
    (direct) =>
      function (callback, ...rest) {
        return Reflect.apply(direct, this, [context.timed(callback), ...rest]);
      },
  );
  // It is called before anybody else comes, so its callback keeps its context.
  replaceGlobal(
    'setImmediate',
    (direct) =>
      function (callback, ...rest) {
        const serving = context.serving();
        if (serving === undefined || typeof callback !== 'function') {
          return Reflect.apply(direct, this, [callback, ...rest]);
        }
        const noting = function (...args) {
          noteTimer();
          return Reflect.apply(callback, this, args);
        };
        serving.timer = Reflect.apply(direct, this, [noting, ...rest]);
        return serving.timer;
      },
  );
  replace(
    later,
    'setTimeout',
    (direct) =>
      function (...args) {
        // Ends just before the one that Node makes and does not show.
        if (context.serving() !== undefined) awaitTimer(start(() => {}, args[0]).unref());
        return Reflect.apply(direct, this, args);
      },
  );
}

function replaceGlobal(name, make) {
  replace(timers, name, make);
  globalThis[name] = timers[name];
}

/** A request that awaits a timer waits for nothing else. Other timers are often time limits. */
function awaitTimer(timer) {
  const serving = context.serving();
  if (serving !== undefined) serving.timer = timer;
}

const textOf = Function.prototype.toString;

/** The function by which a promise is resolved is of V8, and has no name. */
function isResolver(callback) {
  return (
    typeof callback === 'function' &&
    callback.name === '' &&
    Reflect.apply(textOf, callback, []) === 'function () { [native code] }'
  );
}

/** Reports losses, such as a call from a timer among several requests, which can carry no key. */
function tellLosses(settings) {
  const report = lazily(() => require('../key/report.cjs').createReport(settings));
  context.onLoss(({ key, handedOn }, how, to) => {
    const method = how === 'untagged' ? 'connection' : 'timer';
    report()({ key, from: settings.service, to, method, path: how, handedOn });
  });
}

module.exports = { tagTimers };
