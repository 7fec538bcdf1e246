'use strict';

const timers = require('node:timers');
const { promisify } = require('node:util');
const context = require('./context.cjs');

/**
 * What a timer calls back may have become the business of others meanwhile: whoever batches calls
 * sets a timer for the first of them and sends all that came together. Nobody can see from outside
 * who joined, so such a callback knows that it was called by a timer. (What awaits a timer goes on
 * as itself.)
 */
function tagTimers() {
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

module.exports = { tagTimers };
