'use strict';

const timers = require('node:timers');
const { promisify } = require('node:util');
const context = require('./context.cjs');
const { lazily } = require('../lazily.cjs');

/**
 * A timer's callback may work for other requests than the one that set it: code that batches calls
 * sets a timer for the first call and sends all that came meanwhile. Nobody can see from outside
 * which requests joined, so the callback is marked as called by a timer. Code that awaits a timer
 * keeps its own context.
 */
function tagTimers(settings) {
  tellLosses(settings);
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const direct = timers[name];
    const tagged = function (callback, ...rest) {
      return Reflect.apply(direct, this, [context.timed(callback), ...rest]);
    };
    Object.defineProperty(tagged, 'name', { value: name });
    const custom = Object.getOwnPropertyDescriptor(direct, promisify.custom);
    if (custom) Object.defineProperty(tagged, promisify.custom, custom);
    timers[name] = tagged;
    globalThis[name] = tagged;
  }
}

/** Reports losses, such as a call from a timer among several requests, which can carry no key. */
function tellLosses(settings) {
  const report = lazily(() => require('../key/report.cjs').createReport(settings));
  context.onLoss(({ key }, how, to) => {
    const method = how === 'untagged' ? 'connection' : 'timer';
    report()({ key, from: settings.service, to, method, path: how });
  });
}

module.exports = { tagTimers };
