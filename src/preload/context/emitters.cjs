'use strict';

const { EventEmitter } = require('node:events');

/**
 * Three kinds of clients are in copies of packages, of which a process may have any number, or in
 * classes that Node shows to nobody: dispatchers of undici, sessions of HTTP/2, and calls of gRPC.
 * All are emitters, which are begun here, bundled or not; nearly all others have no such method.
 */
function tagEmitters(settings) {
  const { init } = EventEmitter;
  EventEmitter.init = function (options) {
    if (this.dispatch !== undefined) {
      require('../outbound/outbound-undici.cjs').tagDispatcher(this, settings);
    } else if (this.goaway !== undefined) {
      require('../outbound/outbound-http2.cjs').tagSession(this, settings);
    } else if (this.getPeer !== undefined) {
      require('../outbound/grpc-call.cjs').tagGrpcCall(this, settings);
    }
    return Reflect.apply(init, this, [options]);
  };
}

module.exports = { tagEmitters };
