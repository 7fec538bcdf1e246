'use strict';

const timers = require('node:timers');
const { promisify } = require('node:util');
const context = require('./context.cjs');
const { lazily } = require('../lazily.cjs');

/**
 * What a timer calls back may have become the business of others meanwhile: whoever batches calls
 * sets a timer for the first of them and sends all that came together. Nobody can see from outside
 * who joined, so such a callback knows that it was called by a timer. (What awaits a timer goes on
 * as itself.)
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

/** Such as a call from a timer among requests of others, which can't carry the key of any. */
function tellLosses(settings) {
  const report = lazily(() => require('../key/report.cjs').createReport(settings));
  context.onLoss(({ key }, how, to) => {
    const method = how === 'untagged' ? 'connection' : 'timer';
    report()({ key, from: settings.service, to, method, path: how });
  });
}

module.exports = { tagTimers };
