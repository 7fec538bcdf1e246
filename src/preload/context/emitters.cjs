'use strict';

const { EventEmitter } = require('node:events');

/**
 * Three kinds of clients have no single place to patch: dispatchers of undici, sessions of HTTP/2
 * and calls of gRPC. A process may have several copies of their packages, or Node does not export
 * their classes. All are emitters, so they are recognised here when an emitter is constructed,
 * bundled or not. Nearly all other emitters lack the methods that are looked for.
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
