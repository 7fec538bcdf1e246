'use strict';

const { EventEmitter } = require('node:events');

/**
 * Two kinds of clients can't be had before they are there: dispatchers of undici, of which a
 * process may have any number of copies, and sessions of HTTP/2, whose class is nowhere to be
 * found. Both are emitters, and every emitter is begun here; nearly all have neither method.
 */
function tagEmitters(settings) {
  const { init } = EventEmitter;
  EventEmitter.init = function (options) {
    if (this.dispatch !== undefined) {
      require('./outbound-undici.cjs').tagDispatcher(this, settings);
    } else if (this.goaway !== undefined) {
      require('./outbound-http2.cjs').tagSession(this, settings);
    }
    return Reflect.apply(init, this, [options]);
  };
}

module.exports = { tagEmitters };
